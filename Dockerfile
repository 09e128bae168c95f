# The service's image: Node.js and the folder of its release, without shell, package manager or root.
#   docker build --tag audit-activity .
# `npm run release -- image` builds the same where no registry can be reached, on images that it makes of Debian's packages.
ARG BUILD_IMAGE=docker.io/library/node:24-trixie-slim
ARG RUN_IMAGE=gcr.io/distroless/cc-debian13:nonroot

FROM ${BUILD_IMAGE} AS build
# `sources` builds the release from what was copied; `archive` takes the one that was.
ARG RELEASE=sources
# Where the sources come without their history: the time of all files, in seconds since 1970.
ARG SOURCE_DATE_EPOCH
# Likewise the commit, with which the version ends: `--build-arg SOURCE_COMMIT=$(git rev-parse HEAD)`.
ARG SOURCE_COMMIT
WORKDIR /build
COPY . .
RUN if [ "$RELEASE" = sources ]; then npm ci --ignore-scripts --no-audit --no-fund && npm run release -- server; fi
RUN mkdir -p app data \
  && tar -xzf dist/release/audit-activity-server-*.tgz -C app --strip-components=1 --no-same-owner

FROM ${RUN_IMAGE}
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /build/app /app
# The keys of the service are in it: give it a volume that outlives the container.
COPY --from=build --chown=65532:65532 /build/data /var/lib/audit-activity
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/audit-activity
WORKDIR /app
USER 65532:65532
EXPOSE 8080
VOLUME /var/lib/audit-activity
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["/usr/local/bin/node", "/app/healthcheck.js"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node", "/app/main.js"]
