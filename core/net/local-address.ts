import os from 'node:os'

/** The first address by which other machines reach this one, IPv4 before IPv6; undefined where it has none. */
export function localAddress(): string | undefined {
  const addresses = Object.values(os.networkInterfaces()).flatMap((list) => list ?? [])
  const outward = addresses.filter(({ internal }) => !internal)
  const preferred = outward.find(({ family }) => family === 'IPv4') ?? outward.find(({ scopeid }) => !scopeid)
  return preferred?.address
}
