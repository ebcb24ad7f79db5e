"""What every game shares: the kernel contract, Game and State, the environment, playouts, perft.

Nothing in here knows a game; the registry (`tzaar_envs.registry`) does.
"""
