"""The games in a browser: a server, and the page that it serves (needs the extra `web`).

State lives on the server; the page shows it. `docs/serve.md` describes the messages.
"""

from tzaar_envs.system.extras import require_extra

require_extra("web", "serve", "starlette", "uvicorn", "websockets")
