import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { TestCaller } from '../../plugins/srt/fixtures/test-caller.ts'
import { freePort } from '../peers/free-port.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const NAME = 'numbered'
const STREAM_PATH = `live/${NAME}`
const PASSPHRASE = 'correct-horse-battery'

describe('SRT', () => {
  async function publish(server: RunningServer): Promise<void> {
    const { client } = await NumberedPublisher.start({ port: server.rtmpPort, name: NAME, fps: 25, sizeBytes: 2000 })
    client.socket.on('error', () => {})
  }

  async function call(server: RunningServer, streamId: string): Promise<TestCaller> {
    const caller = await TestCaller.call({ port: server.srtPort, streamId })
    keep(caller)
    await caller.answer
    return caller
  }

  function mediaComes(caller: TestCaller): Promise<unknown> {
    const before = caller.payloads.length
    return waitFor(() => caller.payloads.length > before + 5, { what: 'media' })
  }

  const generationOf = (server: RunningServer) =>
    server.server.host.list().find(({ name }) => name === 'srt')?.generation

  it('goes on with its callers when its plugin is loaded anew, and takes new ones', async () => {
    const port = await freePort()
    const server = await startServer({ env: { SLUICE_SRT_LISTENADDR: `:${port}` } })
    await publish(server)
    const older = await call(server, `subscribe:/${STREAM_PATH}`)
    await mediaComes(older)
    const publisher = await call(server, 'publish:/live/other')
    await server.writeConfig('srt: { auth_timeout: 6s }')
    await waitFor(() => generationOf(server) === 2, { what: 'the newer generation' })
    await mediaComes(older)
    const newer = await call(server, `#!::r=${STREAM_PATH}`)
    await mediaComes(newer)
    await mediaComes(older)
    const { body } = await server.api('/srt/api/sessions')
    expect(body.data).to.have.length(3)
    older.close()
    publisher.close()
    const ended = () => server.records.some(({ msg }) => msg.startsWith('generation 1 has ended'))
    await waitFor(ended, { what: 'the older generation to end' })
    await mediaComes(newer)
    expect(server.problems).to.eql([])
  })

  it('takes other passphrases without a reload', async () => {
    const server = await startServer()
    await publish(server)
    await mediaComes(await call(server, `subscribe:/${STREAM_PATH}`))
    await server.writeConfig(`srt: { passphrases: { '^live/': '${PASSPHRASE}' } }`)
    const port = server.srtPort
    const streamId = `subscribe:/${STREAM_PATH}`
    await waitFor(async () => {
      const caller = await TestCaller.call({ port, streamId })
      keep(caller)
      return (await caller.refusal) === 11
    })
    const caller = await TestCaller.call({ port, streamId, passphrase: PASSPHRASE })
    keep(caller)
    await caller.answer
    await mediaComes(caller)
    expect(generationOf(server)).to.equal(1)
    expect(JSON.stringify(server.records)).not.to.include(PASSPHRASE)
  })

  it('tells its callers that the server stops', async () => {
    const server = await startServer()
    await publish(server)
    const callers = [await call(server, `subscribe:/${STREAM_PATH}`), await call(server, 'publish:/live/other')]
    const waiting = await TestCaller.call({ port: server.srtPort, streamId: 'subscribe:/live/nobody' })
    keep(waiting)
    await waitFor(() => waiting.sent.length > 2, { what: 'the conclusion to be repeated' })
    await server.stop()
    expect(await waiting.refusal).to.equal(1503)
    for (const caller of callers) expect(await caller.ended).to.eql({ by: 'peer' })
  })

  for (const [name, passphrase] of [
    ['in the clear', ''],
    ['encrypted', `&pbkeylen=32&passphrase=${PASSPHRASE}`],
  ] as const) {
    it(`is pulled from and pushed to, ${name}`, async () => {
      const section = passphrase === '' ? '' : `passphrase: ${PASSPHRASE}`
      const origin = await startServer({ config: `srt: { ${section} }` })
      await publish(origin)
      const address = `srt://127.0.0.1:${origin.srtPort}`
      const edge = await startServer({
        config: `
srt:
  ${section}
  onsub: { pull: { '^far/(.+)$': '${address}?streamid=subscribe:/live/$1${passphrase}' } }
  onpub: { push: { '^far/(.+)$': '${address}?streamid=publish:/back/$1${passphrase}' } }`,
      })
      const port = origin.srtPort
      const viewer = await TestCaller.call({
        port: edge.srtPort,
        streamId: `subscribe:/far/${NAME}`,
        ...(passphrase !== '' && { passphrase: PASSPHRASE }),
      })
      keep(viewer)
      await viewer.answer
      await mediaComes(viewer)
      const back = await TestCaller.call({
        port,
        streamId: `subscribe:/back/${NAME}`,
        ...(passphrase !== '' && { passphrase: PASSPHRASE }),
      })
      keep(back)
      await back.answer
      await mediaComes(back)
      const { body } = await edge.api('/srt/api/sessions')
      const modes = (body.data as { mode: string; encrypted: boolean }[]).map(({ mode, encrypted }) => [
        mode,
        encrypted,
      ])
      const encrypted = passphrase !== ''
      expect(modes).to.have.deep.members([
        ['caller', encrypted],
        ['caller', encrypted],
        ['listener', encrypted],
      ])
      expect([...origin.problems, ...edge.problems]).to.eql([])
      expect(JSON.stringify([origin.records, edge.records])).not.to.include(PASSPHRASE)
    })

    it(`meets another server, ${name}`, async () => {
      const [port, otherPort] = [await freePort(), await freePort()]
      const sender = await startServer({
        config: `
srt:
  onpub:
    push:
      ^live/: { url: 'srt://127.0.0.1:${otherPort}?mode=rendezvous&localport=${port}${passphrase}', maxretry: -1 }`,
      })
      const receiver = await startServer({
        config: `
srt:
  pull:
    met/a: { url: 'srt://127.0.0.1:${port}?mode=rendezvous&localport=${otherPort}${passphrase}', maxretry: -1 }`,
      })
      await publish(sender)
      const viewer = await call(receiver, 'subscribe:/met/a')
      await mediaComes(viewer)
      expect(receiver.problems).to.eql([])
    })
  }

  it('says what is wrong with a source', async () => {
    const server = await startServer()
    const { body } = await server.api('/api/stream/pull', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        remoteURL: `srt://127.0.0.1:${server.srtPort}?streamid=s3cret`,
        streamPath: 'live/a',
      }),
    })
    expect(body.message).to.equal(
      'the server refused: bad request: does the stream id have the form that it wants? (1400)',
    )
    expect(JSON.stringify(server.records)).not.to.include('s3cret')
  })

  it('is shown on the home page with its query in the stream id', async () => {
    const file = path.join(import.meta.dirname, '../../plugins/home/page/addresses.js')
    const module = `data:text/javascript,${encodeURIComponent(await readFile(file, 'utf8'))}`
    const { addressOf } = (await import(module)) as {
      addressOf: (shown: object, target: object, pageUrl: string) => string
    }
    const shown = { scheme: 'srt', address: 'srt://{hostName}:6000?streamid=publish:/{streamPath}' }
    const target = { streamPath: 'live/a', query: 'secret=1&expire=2' }
    const address = 'srt://host:6000?streamid=publish:/live/a?secret=1%26expire=2'
    expect(addressOf(shown, target, 'http://host:8080/')).to.equal(address)
  })
})
