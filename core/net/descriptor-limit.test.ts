import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect } from 'chai'

const DESCRIPTORS = 48

/** An echo server, for a process with few descriptors; it prints its log and its port. */
const SERVER = `
  import { pino } from 'pino'
  import { ListenerPool } from ${JSON.stringify(new URL('listener-pool.ts', import.meta.url).href)}
  const pool = new ListenerPool({ log: pino() })
  const config = { listenaddrtls: '', certfile: '', keyfile: '', nodelay: true, keepalive: true, listenaddr: '127.0.0.1:0' }
  const lease = await pool.acquire({ plugin: 'rtmp' }, config, (socket) => socket.on('data', (bytes) => socket.end(bytes)))
  lease.activate()
  console.log(JSON.stringify({ ready: lease.addresses[0].port }))
`

type Line = { readonly ready?: number; readonly level?: number }

describe('ListenerPool without file descriptors', function () {
  if (process.platform === 'win32') this.pending = true

  it('closes what it can not accept, and accepts again when there are some', async () => {
    const shell = `ulimit -n ${DESCRIPTORS} && exec "$0" --conditions=source --input-type=module -e "$1"`
    const child = spawn('sh', ['-c', shell, process.execPath, SERVER], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: Line[] = []
    const reader = createInterface(child.stdout).on('line', (line) => void lines.push(JSON.parse(line) as Line))
    const clients: Socket[] = []
    try {
      const port = await until(() => lines.find(({ ready }) => ready !== undefined)?.ready)
      const dial = (): Socket => {
        const client = connect(port, '127.0.0.1')
          .on('error', () => {})
          .resume()
        clients.push(client)
        return client
      }
      for (let count = 0; count < 2 * DESCRIPTORS; count += 1) dial()
      await until(() => clients.find(({ closed }) => closed))
      expect(clients.some(({ closed }) => !closed)).to.be.true
      for (const client of clients) client.destroy()
      await until(() => echoes(dial()))
      expect(lines.filter(({ level = 0 }) => level > 30).length).to.be.at.most(1)
    } finally {
      for (const client of clients) client.destroy()
      reader.close()
      child.kill()
      await once(child, 'exit')
    }
  })
})

async function echoes(client: Socket): Promise<true | undefined> {
  client.write('x')
  // A connection that is refused may end in an error.
  const none = (): Buffer[] => []
  const [bytes] = await Promise.race([once(client, 'data'), once(client, 'close').then(none)]).catch(none)
  return String(bytes) === 'x' || undefined
}

async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
