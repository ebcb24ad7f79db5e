"""`python -m tzaar_envs`: the same as `tzaar-envs`."""

from tzaar_envs.cli import main

if __name__ == "__main__":
    main()
