import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { pino } from 'pino'
import { generate } from 'selfsigned'
import type { TcpConfig } from 'sluice/sdk'
import type { AcceptLimits } from './accept-limits.ts'
import type { ListenerLease } from './listener-lease.ts'
import { ListenerPool } from './listener-pool.ts'

const CONFIG: TcpConfig = {
  listenaddr: '127.0.0.1:0',
  listenaddrtls: '',
  certfile: '',
  keyfile: '',
  nodelay: true,
  keepalive: true,
}
const TLS_CONFIG: TcpConfig = { ...CONFIG, listenaddr: '', listenaddrtls: '127.0.0.1:0' }

type LogLine = { readonly level: number; readonly msg: string; readonly owner?: string }

describe('ListenerPool', () => {
  let lines: LogLine[]
  let pool: ListenerPool
  let clients: Socket[]

  beforeEach(() => {
    lines = []
    clients = []
    pool = makePool()
  })

  afterEach(() => {
    for (const client of clients) client.destroy()
    pool.close()
  })

  function makePool(limits: Partial<AcceptLimits> = {}): ListenerPool {
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    return new ListenerPool({ log, limits })
  }

  function dial(lease: ListenerLease, host = '127.0.0.1'): Socket {
    const client = connect(portOf(lease), host)
    client.on('error', () => {})
    clients.push(client)
    return client
  }

  function dialTls(lease: ListenerLease): TLSSocket {
    const client = connectTls({ port: portOf(lease), host: '127.0.0.1', rejectUnauthorized: false })
    client.on('error', () => {})
    clients.push(client)
    return client
  }

  it('listens on IPv4 and IPv6 for an address without a host', async () => {
    const lease = await pool.acquire({ plugin: 'rtmp' }, { ...CONFIG, listenaddr: ':0' }, greeter('hello'))
    lease.activate()
    expect(await read(dial(lease))).to.equal('hello')
    if (lease.addresses[0]?.host === '::') expect(await read(dial(lease, '::1'))).to.equal('hello')
  })

  it('holds connections until the first lease is activated', async () => {
    for (const config of [CONFIG, TLS_CONFIG]) {
      const lease = await pool.acquire({ plugin: 'rtmp' }, config, greeter('held'))
      const tls = config === TLS_CONFIG
      const client = tls ? dialTls(lease) : dial(lease)
      if (!tls) await once(client, 'connect')
      // A second connection that has been accepted tells that the first one has been, too.
      await once(dial(lease), 'connect')
      lease.activate()
      expect(await read(client)).to.equal('held')
    }
  })

  it('keeps the port, also a chosen one, and the connections when a generation follows', async () => {
    const first = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('1'))
    first.activate()
    const kept: Socket[] = []
    const second = await pool.acquire({ plugin: 'rtmp' }, CONFIG, (socket) => void kept.push(socket))
    expect(second.addresses).to.deep.equal(first.addresses)
    expect(await read(dial(first))).to.equal('1')

    second.activate()
    await first.release()
    const client = dial(second)
    await once(client, 'connect')
    await waitFor(() => kept.length === 1)
    await second.release()
    kept[0]?.end('still here')
    expect(await read(client)).to.equal('still here')
  })

  it('goes back to the generation before when the new one is released', async () => {
    const first = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('1'))
    first.activate()
    const second = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('2'))
    second.activate()
    await second.release()
    expect(await read(dial(first))).to.equal('1')
  })

  describe('an address that only differs in its host', () => {
    const take = async (lease: ListenerLease): Promise<ListenerLease> => {
      await lease.bind()
      lease.activate()
      return lease
    }
    const acquire = (listenaddr: string, text: string) =>
      pool.acquire({ plugin: 'rtmp' }, { ...CONFIG, listenaddr }, greeter(text))

    it('is taken over from the generation before, there and back', async () => {
      const first = await take(await acquire(':0', '1'))
      const port = portOf(first)
      const second = await acquire(`127.0.0.1:${port}`, '2')
      expect(second.addresses).to.deep.equal([{ host: '127.0.0.1', port, tls: false }])
      expect(await read(dial(first))).to.equal('1')
      await take(second)
      await first.release()
      expect(await read(dial(second))).to.equal('2')
      const third = await acquire(`:${port}`, '3')
      await take(third)
      await second.release()
      expect(await read(dial(third))).to.equal('3')
      expect(lines.filter(({ level }) => level > 30)).to.deep.equal([])
    })

    it('goes back when the new generation ends first', async () => {
      const first = await take(await acquire('127.0.0.1:0', '1'))
      const port = portOf(first)
      const second = await take(await acquire(`:${port}`, '2'))
      expect(await read(dial(second))).to.equal('2')
      await second.release()
      expect(portOf(first)).to.equal(port)
      expect(await read(dial(first))).to.equal('1')
    })

    it('is joined by the generation after, while the one before lives', async () => {
      const first = await take(await acquire('127.0.0.1:0', '1'))
      const port = portOf(first)
      const second = await take(await acquire(`:${port}`, '2'))
      const third = await take(await acquire(`127.0.0.1:0`, '3'))
      expect(await read(dial(third))).to.equal('3')
      await second.release()
      expect(await read(dial(first))).to.equal('3')
      await third.release()
      expect(await read(dial(first))).to.equal('1')
      expect(lines.filter(({ level }) => level > 30)).to.deep.equal([])
    })

    it('stays as it was when a stranger has the new one', async () => {
      const first = await take(await acquire('127.0.0.1:0', '1'))
      const stranger = createServer().listen(portOf(first), '127.0.0.2')
      await once(stranger, 'listening')
      const second = await acquire(`127.0.0.2:${portOf(first)}`, '2')
      expect(await second.bind().catch((error: unknown) => error)).to.have.property('code', 'EADDRINUSE')
      expect(await read(dial(first))).to.equal('1')
      await second.release()
      expect(await read(dial(first))).to.equal('1')
      stranger.close()
    })

    it('may change to TLS with it', async () => {
      const first = await take(await acquire('127.0.0.1:0', '1'))
      const config = { ...TLS_CONFIG, listenaddrtls: `127.0.0.1:${portOf(first)}` }
      const second = await take(await pool.acquire({ plugin: 'rtmp' }, config, greeter('2')))
      expect(await read(dialTls(second))).to.equal('2')
    })

    it('is refused within one generation', async () => {
      const owner = { plugin: 'rtmp' }
      const first = await take(await pool.acquire(owner, CONFIG, greeter('1')))
      const listenaddr = `:${portOf(first)}`
      const second = pool.acquire(owner, { ...CONFIG, listenaddr }, greeter('2'))
      expect(await second.catch((error: unknown) => error)).to.include({
        code: 'EADDRINUSE',
        message: `rtmp: can't listen on ${listenaddr}: address already in use by rtmp; choose another address`,
      })
    })
  })

  it('refuses no connection while generations change', async () => {
    let lease = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('x'))
    lease.activate()
    const switched = new AbortController()
    let answered = 0
    const hammer = async (): Promise<void> => {
      while (!switched.signal.aborted || answered < 100) {
        expect(await read(dial(lease))).to.match(/^x$/)
        answered += 1
      }
    }
    const hammers = Array.from({ length: 8 }, hammer)
    for (let generation = 0; generation < 50; generation += 1) {
      const next = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('x'))
      next.activate()
      await lease.release()
      lease = next
      await read(dial(lease))
    }
    switched.abort()
    await Promise.all(hammers)
    expect(answered).to.be.at.least(100)
  })

  it('closes the port with the last lease', async () => {
    const lease = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('x'))
    lease.activate()
    const port = portOf(lease)
    await lease.release()
    const again = await pool.acquire({ plugin: 'flv' }, { ...CONFIG, listenaddr: `127.0.0.1:${port}` }, greeter('flv'))
    again.activate()
    expect(await read(dial(again))).to.equal('flv')
  })

  it('says who has the address', async () => {
    const lease = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('x'))
    const text = `127.0.0.1:${portOf(lease)}`
    const taken = await pool
      .acquire({ plugin: 'flv' }, { ...CONFIG, section: 'flv.tcp', listenaddr: text }, greeter('x'))
      .catch((error: unknown) => error)
    expect(taken).to.include({
      code: 'EADDRINUSE',
      message: `flv: can't listen on ${text}: address already in use by rtmp; change flv.tcp.listenaddr`,
    })

    const stranger = createServer().listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const strange = `127.0.0.1:${(stranger.address() as AddressInfo).port}`
    const used = await pool
      .acquire({ plugin: 'flv' }, { ...CONFIG, section: 'flv.tcp', listenaddr: strange }, greeter('x'))
      .catch((error: unknown) => error)
    expect(used).to.include({
      code: 'EADDRINUSE',
      message: `flv: can't listen on ${strange}: address already in use; stop what has it (another Sluice?), or change flv.tcp.listenaddr`,
    })
    stranger.close()
  })

  it('binds nothing when one of two addresses fails', async () => {
    const lease = await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('x'))
    const free = `127.0.0.1:${await freePort()}`
    const config = { ...CONFIG, listenaddr: free, listenaddrtls: `127.0.0.1:${portOf(lease)}` }
    expect(
      await pool.acquire({ plugin: 'flv' }, config, greeter('x')).catch((error: unknown) => error),
    ).to.have.property('code', 'EADDRINUSE')
    const other = await pool.acquire({ plugin: 'hls' }, { ...CONFIG, listenaddr: free }, greeter('x'))
    expect(other.addresses).to.have.length(1)
  })

  it('speaks TLS with the certificate of the active generation', async () => {
    const first = await pool.acquire({ plugin: 'rtmp' }, TLS_CONFIG, greeter('1'))
    first.activate()
    const second = await pool.acquire({ plugin: 'rtmp' }, TLS_CONFIG, greeter('2'))
    expect(await read(dialTls(first))).to.equal('1')
    second.activate()
    expect(await read(dialTls(second))).to.equal('2')
    expect(second.addresses[0]).to.include({ tls: true })
  })

  it('names the certificate file that is missing', async () => {
    const config = { ...TLS_CONFIG, certfile: '/nowhere/cert.pem', keyfile: '/nowhere/key.pem' }
    const error = await pool.acquire({ plugin: 'rtmp' }, config, greeter('x')).catch((reason: unknown) => reason)
    expect(error).to.have.property('code', 'CERTIFICATE')
    expect(error).to.have.property('message').that.contains("can't read certfile /nowhere/cert.pem: no such file")
  })

  it('ends connections that never finish the TLS handshake, or send something else', async () => {
    pool = makePool({ handshakeTimeoutMs: 100 })
    const lease = await pool.acquire({ plugin: 'rtmp' }, TLS_CONFIG, greeter('x'))
    lease.activate()
    const silent = dial(lease)
    const garbage = dial(lease)
    garbage.write('GET / HTTP/1.1\r\n\r\n')
    await Promise.all([read(silent), read(garbage)])
    expect(lines.filter(({ msg }) => msg === 'TLS handshake failed')).to.have.length(2)
    expect(lines.filter(({ level }) => level > 30)).to.deep.equal([])
    expect(await read(dialTls(lease))).to.equal('x')
  })

  it('bounds the TLS handshakes at one time, and counts only those under way', async () => {
    pool = makePool({ maxHandshakes: 2 })
    const lease = await pool.acquire({ plugin: 'rtmp' }, TLS_CONFIG, (socket) => void socket.write('x'))
    lease.activate()
    for (let open = 0; open < 4; open += 1) await once(dialTls(lease), 'data')
    const pending = [dial(lease), dial(lease)]
    await Promise.all(pending.map((client) => once(client, 'connect')))
    expect(await read(dial(lease))).to.equal('')
    const [first] = pending
    first?.destroy()
    await waitFor(async () => (await read(dialTls(lease), 1)) === 'x')
  })

  it('ends a connection whose handler throws or rejects, and goes on', async () => {
    for (const fail of [throwing, rejecting]) {
      const lease = await pool.acquire({ plugin: 'rtmp' }, CONFIG, fail)
      lease.activate()
      expect(await read(dial(lease))).to.equal('')
      expect(await read(dial(lease))).to.equal('')
    }
    const errors = lines.filter(({ level }) => level === 50)
    expect(errors).to.have.length(4)
    expect(errors[0]).to.have.property('owner', 'rtmp')
  })

  describe('a connection that is handed over', () => {
    it('waits for who listens to its data, however late, as a new one does', async () => {
      for (const config of [CONFIG, TLS_CONFIG]) {
        const owner = { plugin: config === CONFIG ? 'rtmp' : 'rtmps' }
        const taken: { socket: Socket; state: unknown }[] = []
        const first = await pool.acquire({ ...owner }, config, (socket) => void taken.push({ socket, state: 'new' }))
        first.activate()
        const client = config === CONFIG ? dial(first) : dialTls(first)
        client.write('one')
        await waitFor(() => taken.length === 1)
        const socket = taken[0]?.socket
        if (socket === undefined) throw new Error('no connection')
        let said = ''
        const hear = (bytes: Buffer) => void (said += bytes.toString())
        socket.on('data', hear)
        await waitFor(() => said === 'one')
        expect(first.handOver(socket, 'early')).to.equal(false)

        const second = await pool.acquire(owner, config, (given, state) => void taken.push({ socket: given, state }))
        second.activate()
        await first.release()
        socket.off('data', hear)
        socket.unshift(Buffer.from('unused '))
        expect(first.handOver(socket, { id: 7 })).to.equal(true)
        expect(taken[1]).to.eql({ socket, state: { id: 7 } })
        client.write('two')
        // A second connection that has been accepted tells that there was time for the bytes to come, and be lost.
        await once(config === CONFIG ? dial(second) : dialTls(second), config === CONFIG ? 'connect' : 'secureConnect')
        await waitFor(() => taken.length === 3)
        said = ''
        socket.on('data', hear)
        await waitFor(() => said === 'unused two')
        socket.destroy()
        expect(second.handOver(socket, 'too late')).to.equal(false)
        await second.release()
      }
    })
  })

  it('shows a renewed certificate to those who come later, and keeps the connections', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-renewal-'))
    const files = { certfile: path.join(folder, 'cert.pem'), keyfile: path.join(folder, 'key.pem') }
    const store = async (name: string) => {
      const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { keyType: 'ec' })
      await writeFile(files.keyfile, key)
      await writeFile(files.certfile, cert)
    }
    const nameSeen = (client: TLSSocket) => client.getPeerCertificate().subject?.CN
    try {
      await store('old.test')
      const lease = await pool.acquire({ plugin: 'rtmp' }, { ...TLS_CONFIG, ...files }, (socket) => socket.pipe(socket))
      lease.activate()
      const early = dialTls(lease)
      await once(early, 'secureConnect')
      expect(nameSeen(early)).to.equal('old.test')
      await store('new.test')
      await waitFor(async () => {
        const late = dialTls(lease)
        await once(late, 'secureConnect')
        return nameSeen(late) === 'new.test'
      })
      early.write('still here')
      expect(await read(early, 10)).to.equal('still here')
      await lease.release()
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('survives a peer that resets the connection nobody listens to', async () => {
    let accepted = 0
    const lease = await pool.acquire({ plugin: 'rtmp' }, CONFIG, (socket) => {
      accepted += 1
      socket.resume()
    })
    lease.activate()
    const client = dial(lease)
    await once(client, 'connect')
    await waitFor(() => accepted === 1)
    client.resetAndDestroy()
    await waitFor(() => lines.some(({ msg }) => msg === 'connection failed'))
  })

  it('does not bind after it was closed', async () => {
    pool.close()
    expect(
      await pool.acquire({ plugin: 'rtmp' }, CONFIG, greeter('x')).catch((error: unknown) => error),
    ).to.have.property('code', 'CLOSED')
  })
})

function greeter(text: string): (socket: Socket) => void {
  return (socket) => void socket.end(text)
}

function throwing(): never {
  throw new Error('thrown')
}

/** As a plugin may do though the type says otherwise. */
function rejecting(): unknown {
  return Promise.reject(new Error('rejected'))
}

function portOf(lease: ListenerLease): number {
  return lease.addresses[0]?.port ?? 0
}

/** What the other side sends until it ends, or until there are so many characters. */
async function read(socket: Socket, length = Infinity): Promise<string> {
  let text = ''
  await new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      text += bytes.toString()
      if (text.length >= length) resolve()
    })
    socket.on('close', () => resolve())
  })
  return text
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
