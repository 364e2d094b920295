# Builds the gateway and keeps only the bundle. The digest makes every build start from the same base image, Node 24.18.0.
# This prints the digest that the tag has now, for `--build-arg NODE_IMAGE=` or for this line:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY . .
# Of the packages, not of their checkout, whose own dependencies are those of tests and checks. No package needs install
# scripts: SQLite's package includes its binaries.
RUN npm ci --ignore-scripts --workspaces
# Types are checked when a change is tested, not by each build of the image.
RUN node core/cli/bin/build.js --to-start
RUN node distribution/assemble.js

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=build --chown=root:root /app/distribution/dist /app
COPY --from=build --chown=root:root /app/config /app/config
RUN mkdir /data && chown node:node /data
# A first start keeps what V8 compiles, which later ones of a read-only container then need not do.
RUN set -e; \
    first="$(mktemp -d)"; \
    GATEWAY_DATA_DIR="$first" GATEWAY_PORT=0 /app/core/cli/bin/gateway start > "$first/log" & \
    gateway=$!; \
    until grep -qs listening "$first/log" && ls /app/core/dist/*.cache > /dev/null 2>&1; do \
      kill -0 "$gateway"; sleep 0.1; \
    done; \
    kill "$gateway"; wait "$gateway"; rm -r "$first"
ENV NODE_ENV=production \
    GATEWAY_HOST=0.0.0.0 \
    GATEWAY_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8787
# Follows port and TLS of the environment and of the file in GATEWAY_CONFIG.
HEALTHCHECK --interval=15s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "/app/core/cli/bin/gateway.js", "health"]
# The gateway writes only to /data: run the container with a read-only root file system.
ENTRYPOINT ["/app/core/cli/bin/gateway"]
CMD ["start"]
