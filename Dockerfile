# syntax=docker/dockerfile:1
# The base of both stages. The workflow names it by its digest, so that every architecture gets the same one and the
# image says which; by hand: --build-arg BASE=python@sha256:...
ARG BASE=python:3.11-slim-bookworm

# The packages, in the versions and with the hashes of the lock file. Only this stage needs pip.
FROM ${BASE} AS build
WORKDIR /build
COPY pyproject.toml requirements.lock ./
COPY tools/runtime_lock.py tools/
RUN python tools/runtime_lock.py postgres > runtime.lock \
    && python -m venv --without-pip /venv \
    && python -m pip --python /venv/bin/python install --no-cache-dir --no-compile --only-binary :all: \
        --require-hashes -r runtime.lock

FROM ${BASE}
ARG BASE
LABEL org.opencontainers.image.title="dicebot" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.base.name="${BASE}"
# With this library Pillow joins the letters of Arabic, Hindi and other names in charts.
RUN apt-get update && apt-get install --yes --no-install-recommends libfribidi0 && rm -rf /var/lib/apt/lists/*
RUN groupadd --system --gid 10001 dice \
    && useradd --system --uid 10001 --gid dice --no-create-home --home-dir /app --shell /usr/sbin/nologin dice
WORKDIR /app
COPY --from=build /venv /venv
COPY pyproject.toml requirements.lock ./
COPY assets assets
COPY bot bot
COPY cogs cogs
# The program belongs to root and can't be changed by the bot; only its data can.
RUN /venv/bin/python -m compileall -q /venv /app \
    && install -d -o dice -g dice -m 0700 /app/data
# SQLite's temporary copies can be as large as the database: they go to its disk, as /tmp may be in memory.
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    LOG_FORMAT=json \
    METRICS_PORT=9464 \
    METRICS_HOST=127.0.0.1 \
    SQLITE_TMPDIR=/app/data
USER 10001:10001
VOLUME /app/data
# The bot stops within 10 seconds, answers in hand included.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=60s --retries=3 \
    CMD ["/venv/bin/python", "-m", "bot", "healthcheck"]
ENTRYPOINT ["/venv/bin/python", "-m", "bot"]
# Docker knows no exit codes after which a start is in vain: with them the bot exits with 0.
CMD ["run", "--stop-for-good"]
