# Sluice as an image; docs/operations.md says how to run it, and compose.yaml does.
FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY scripts scripts
COPY cli cli
COPY core core
COPY plugins plugins
COPY sdk sdk
RUN node scripts/build.ts

FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages bring Node along, and the image has it.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /app/node_modules node_modules
COPY bin bin
COPY cli cli
COPY config config
COPY core core
COPY sdk sdk
# Made of the same sources; the plugins have their pages with them.
COPY --from=build /app/plugins plugins
COPY --from=build /app/dist dist
# What must survive, and all that is written: the database and the recordings. /app is never written to.
RUN mkdir -m 700 /data && chown node:node /data
ENV SLUICE_GLOBAL_DATADIR=/data SLUICE_GLOBAL_STORAGE_LOCAL_PATH=/data/recordings
VOLUME /data
USER node
EXPOSE 8080 1935 554 6000/udp 9000/udp 9000/tcp 5060/udp 5060/tcp
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process, and takes the signals itself; what follows the image's name goes to Sluice.
ENTRYPOINT ["node", "--max-semi-space-size=1", "bin/sluice.js"]
