"""The core that all games share: the kernel contract, Game and State, batches, playouts, perft.

Nothing here knows a particular game; only the registry (`tzaar_envs.registry`) does.
"""
