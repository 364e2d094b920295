# Builds the gateway and keeps only what it needs at run time.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
# No package needs install scripts: SQLite's package includes its binaries.
RUN npm ci --ignore-scripts
RUN node core/cli/bin/build.js
RUN npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build --chown=root:root /app /app
RUN mkdir /data && chown node:node /data
ENV NODE_ENV=production \
    GATEWAY_HOST=0.0.0.0 \
    GATEWAY_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The gateway writes only to /data: run the container with a read-only root file system.
ENTRYPOINT ["/app/core/cli/bin/gateway"]
CMD ["start"]
