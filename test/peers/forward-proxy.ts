import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.ts'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'
import { waitFor } from './wait-for.ts'

/** How often another port is tried, where somebody else was quicker. */
const ATTEMPTS = 3

/** Who may use a proxy; everybody unless given. */
export type ProxyUser = { readonly name: string; readonly password: string }

/** A proxy of others that leads connections on. It ends with the test that started it, at the latest. */
export type ForwardProxy = {
  /** Its address, with the user's name and password. */
  readonly url: string
  /** What it has written, with the hosts that it was asked for. */
  readonly log: () => string
}

/** Starts tinyproxy: CONNECT of HTTP. */
export function startTinyproxy(user?: ProxyUser): Promise<ForwardProxy> {
  return start('http', user, async (port) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tinyproxy-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const lines = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'LogLevel Connect']
    if (user !== undefined) lines.push(`BasicAuth ${user.name} ${user.password}`)
    const file = path.join(folder, 'tinyproxy.conf')
    await writeFile(file, `${lines.join('\n')}\n`)
    return new PeerProcess('tinyproxy', ['-d', '-c', file])
  })
}

/** Starts microsocks: SOCKS5. */
export function startMicrosocks(user?: ProxyUser): Promise<ForwardProxy> {
  const auth = user === undefined ? [] : ['-u', user.name, '-P', user.password]
  return start('socks5', user, async (port) => {
    return new PeerProcess('microsocks', ['-i', '127.0.0.1', '-p', String(port), ...auth])
  })
}

async function start(
  scheme: string,
  user: ProxyUser | undefined,
  run: (port: number) => Promise<PeerProcess>,
): Promise<ForwardProxy> {
  const credentials = user === undefined ? '' : `${user.name}:${user.password}@`
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const peer = await run(port)
    await waitFor(async () => peer.exited !== undefined || (await listens(port)), { what: 'the proxy to listen' })
    const log = () => peer.stdout.toString() + peer.stderr
    if (peer.exited === undefined) return { url: `${scheme}://${credentials}127.0.0.1:${port}`, log }
    if (attempt === ATTEMPTS) throw peer.error('ended')
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
