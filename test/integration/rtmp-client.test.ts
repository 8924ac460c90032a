import { createHash, randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { FLV_TAG_TYPE } from 'sluice/sdk/media'
import { directDialer, ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { onStatus } from '../../plugins/rtmp/replies.ts'
import type { Command } from '../../plugins/rtmp/wire/message/command.ts'
import { freePort } from '../peers/free-port.ts'
import { waitFor } from '../peers/wait-for.ts'
import {
  askForPull,
  askForPush,
  publishScripted,
  SOURCE_PATH,
  startRtmpServer,
  type AskedPush,
  type RtmpServer,
} from '../support/rtmp/client-jobs.ts'
import { refusal, ScriptedRtmpServer, STREAM_ID, type Script } from '../support/rtmp/scripted-server.ts'

const USER = 'someone:pa55word@'
const QUERY = '?key=s3cret'
const SECRETS = /someone|pa55word|s3cret/u
const KINDS = ['pull', 'push'] as const

type Kind = (typeof KINDS)[number]

/** Asks for a pull or a push; a push has a stream to send. */
async function ask(kind: Kind, server: RtmpServer, url: string, dial = directDialer, streamPath = SOURCE_PATH) {
  if (kind === 'pull') return askForPull(server, url, { dial, streamPath })
  if (server.streams.get(SOURCE_PATH) === undefined) await publishScripted(server)
  return askForPush(server, url, { dial })
}

async function failureOf({ result }: { readonly result: Promise<unknown> }): Promise<string> {
  const error = await result
  expect(error).to.be.an('error')
  return (error as Error).message
}

const status = (code: string, level: 'status' | 'error' = 'status') => onStatus(level, code as never, '', false)
const md5 = (text: string, form: 'base64' | 'hex') => createHash('md5').update(text).digest(form)

describe('the RTMP client', () => {
  describe('tells a server that asks for it who it is, and its password to none', () => {
    const names: Record<Kind, string> = { pull: 'play', push: 'publish' }

    /** Refuses until the app has what is asked for. */
    function gate(met: (app: URLSearchParams) => boolean, descriptionOf: (app: URLSearchParams) => string): Script {
      return (command, { connection }) => {
        if (command.name !== 'connect') return undefined
        const { app, tcUrl } = command.commandObject as Record<string, string>
        expect(tcUrl!.endsWith(app!)).to.equal(true)
        const query = app!.split('?', 2)[1] ?? ''
        const fields = new URLSearchParams(query.replaceAll('+', '%2B'))
        if (met(fields)) return undefined
        connection.send(refusal(command, descriptionOf(fields)))
        connection.close('refused')
        return 'done'
      }
    }
    const modes: Record<string, Script> = {
      adobe: gate(
        (fields) => {
          const own = fields.get('challenge')
          const secret = md5('someone5a17pa55word', 'base64')
          return own !== null && fields.get('response') === md5(`${secret}0paque==${own}`, 'base64')
        },
        (fields) =>
          fields.get('user') === 'someone'
            ? '[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=someone&salt=5a17&challenge=0paque==&opaque=0paque=='
            : '[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ',
      ),
      llnw: gate(
        (fields) => {
          const [who, what] = [md5('someone:live:pa55word', 'hex'), md5('publish:/live/_definst_', 'hex')]
          const said = [who, 'n0nce', '00000001', fields.get('cnonce'), 'auth', what].join(':')
          return fields.get('response') === md5(said, 'hex')
        },
        (fields) =>
          fields.get('user') === 'someone'
            ? '[ AccessManager.Reject ] : [ authmod=llnw ] : ?reason=needauth&user=someone&nonce=n0nce'
            : '[ AccessManager.Reject ] : [ code=403 need auth; authmod=llnw ] : ',
      ),
    }
    for (const kind of KINDS) {
      for (const [mode, script] of Object.entries(modes)) {
        it(`by ${mode}, for a ${kind}`, async () => {
          const target = await ScriptedRtmpServer.start({ script })
          const server = await startRtmpServer()
          const { steps } = await ask(kind, server, `${target.url(USER)}${QUERY}`)
          await waitFor(() => target.names.includes(names[kind]))
          expect(target.names.filter((name) => name === 'connect')).to.have.length(3)
          expect(steps.filter((name) => name === 'authenticate')).to.have.length(2)
          expect(target.connects('app')[0]).to.equal('live')
          expect(JSON.stringify(target.commands)).not.to.include('pa55word')
          expect(JSON.stringify(server.log)).not.to.match(SECRETS)
        })
      }
    }

    it('and says what is wrong', async () => {
      const cases: readonly (readonly [description: string, user: string, message: RegExp])[] = [
        ['[ authmod=adobe ] : ?reason=authfailed', USER, /does not take this name and password$/u],
        ['[ authmod=llnw ] : ?reason=nosuchuser', USER, /does not take this name and password$/u],
        ['[ code=403 need auth; authmod=adobe ]', '', /asks for a name and password/u],
        ['[ authmod=adobe ] : ?reason=needauth&salt=1', USER, /asks for the password again and again/u],
        ['[ authmod=unheardof ]', USER, /^the server refused: NetConnection\.Connect\.Rejected$/u],
      ]
      const server = await startRtmpServer()
      for (const [description, user, message] of cases) {
        const script: Script = (command, { connection }) => {
          connection.send(refusal(command, description))
          return 'done'
        }
        const target = await ScriptedRtmpServer.start({ script })
        expect(await failureOf(await ask('pull', server, target.url(user))))
          .to.match(message)
          .and.not.match(SECRETS)
        await waitFor(() => target.peers.size === 0)
      }
    })
  })

  describe('follows a server', () => {
    for (const kind of KINDS) {
      it(`that leads elsewhere when it connects, or when it asks for the stream: ${kind}`, async () => {
        const target = await ScriptedRtmpServer.start()
        const second = await ScriptedRtmpServer.start({
          script(command, { connection }) {
            if (command.name !== 'play' && command.name !== 'publish') return undefined
            const { args } = refusal(command, '', target.url('', 'third/y?own=1'))
            connection.send({ ...status('NetConnection.Connect.Rejected', 'error'), args }, STREAM_ID)
            return 'done'
          },
        })
        const first = await ScriptedRtmpServer.start({
          script(command, { connection }) {
            connection.send(refusal(command, 'elsewhere', second.url('', 'second')))
            return 'done'
          },
        })
        const ports: number[] = []
        const server = await startRtmpServer()
        const job = await ask(kind, server, first.url(USER, `first/x${QUERY}`), {
          ...directDialer,
          connect(options) {
            ports.push(options.port)
            return directDialer.connect(options)
          },
        })
        const asked = ({ commands }: ScriptedRtmpServer) =>
          commands.find(({ name }) => name === 'play' || name === 'publish')?.args[0]
        await waitFor(() => asked(target) !== undefined)
        expect([asked(second), asked(target)]).to.eql([`x${QUERY}`, 'y?own=1'])
        expect([second.connects('app'), target.connects('app')]).to.eql([['second'], ['third']])
        expect(ports).to.have.length(3)
        if (kind === 'push') await (job as AskedPush).begun
        else await waitFor(() => server.streams.get(SOURCE_PATH) !== undefined)
        expect(await Promise.race([job.result, Promise.resolve('it goes on')])).to.equal('it goes on')
        await waitFor(() => first.peers.size === 0 && second.peers.size === 0)
      })
    }

    it('not for ever, nor to where RTMP is not spoken', async () => {
      const server = await startRtmpServer()
      const round: ScriptedRtmpServer = await ScriptedRtmpServer.start({
        script(command, { connection }) {
          connection.send(refusal(command, 'elsewhere', round.url()))
          return 'done'
        },
      })
      expect(await failureOf(await ask('pull', server, round.url()))).to.equal('more than 5 redirects')
      const away = await ScriptedRtmpServer.start({
        script(command, { connection }) {
          connection.send(refusal(command, 'elsewhere', 'http://127.0.0.1/admin'))
          return 'done'
        },
      })
      expect(await failureOf(await ask('pull', server, away.url()))).to.match(/no address of RTMP$/u)
    })
  })

  it('says to a target what encoders say, and takes leave of it', async () => {
    const target = await ScriptedRtmpServer.start()
    const server = await startRtmpServer()
    await publishScripted(server)
    const push = askForPush(server, `${target.url(USER)}${QUERY}`)
    const subscriber = await push.begun
    subscriber.close('enough')
    expect(await push.result).to.include({ text: 'enough' })
    await waitFor(() => target.names.includes('deleteStream') && target.peers.size === 0)
    const name = `x${QUERY}`
    expect(target.commands.map((command: Command) => [command.name, ...command.args])).to.eql([
      ['connect'],
      ['releaseStream', name],
      ['FCPublish', name],
      ['createStream'],
      ['publish', name, 'live'],
      ['FCUnpublish', name],
      ['deleteStream', STREAM_ID],
    ])
    expect(push.steps).to.eql(['handshake', 'connect to the app', 'publish'])
    expect(Object.keys(target.commands[0]?.commandObject ?? {})).to.eql([
      'app',
      'type',
      'flashVer',
      'tcUrl',
      'objectEncoding',
    ])
    expect(JSON.stringify(server.log)).not.to.match(SECRETS)
  })

  it('tells live sources that end from recordings', async () => {
    const cases: readonly (readonly [what: readonly string[], message: string])[] = [
      [['NetStream.Play.UnpublishNotify'], 'the source has ended'],
      [['NetStream.Play.Stop'], 'the source has ended'],
      [['eof'], 'the source has ended'],
      [['recorded', 'eof'], 'the source has no media'],
      [['recorded', 'NetStream.Play.Stop'], 'the source has no media'],
      [['NetStream.Play.Failed'], 'the server said NetStream.Play.Failed'],
    ]
    const server = await startRtmpServer()
    for (const [said, message] of cases) {
      const source = await ScriptedRtmpServer.start({
        script({ name }, { connection }) {
          if (name !== 'play') return undefined
          connection.send(status('NetStream.Play.Start'), STREAM_ID)
          for (const what of said) {
            if (what === 'recorded') connection.send({ kind: 'streamIsRecorded', streamId: STREAM_ID })
            else if (what === 'eof') connection.send({ kind: 'streamEof', streamId: STREAM_ID })
            else connection.send(status(what), STREAM_ID)
          }
          return 'done'
        },
      })
      expect(await failureOf(await ask('pull', server, source.url()))).to.equal(message)
      await waitFor(() => source.peers.size === 0)
    }
    const none = await ScriptedRtmpServer.start({
      script({ name }, { connection }) {
        if (name === 'play') connection.send(status('NetStream.Play.StreamNotFound'), STREAM_ID)
        return name === 'play' ? 'done' : undefined
      },
    })
    expect(await failureOf(await ask('pull', server, none.url()))).to.equal(
      'the server answered to play: NetStream.Play.StreamNotFound',
    )
  })

  it('ends at once when it is stopped, and leaves nothing', async () => {
    const server = await startRtmpServer()
    for (const kind of ['push', 'pull'] as const) {
      const target = await ScriptedRtmpServer.start()
      const path = kind === 'push' ? SOURCE_PATH : 'live/pulled'
      const job = await ask(kind, server, target.url(), directDialer, path)
      if (kind === 'push') await (job as AskedPush).begun
      else await waitFor(() => server.streams.get(path) !== undefined)
      job.stop()
      expect(await failureOf(job)).to.match(/stopped$/u)
      await waitFor(() => target.peers.size === 0)
      if (kind === 'push') expect(target.names.at(-1)).to.equal('deleteStream')
      else expect(server.streams.get(path)).to.equal(undefined)
    }
  })

  it('takes what a source sends before it says that it plays', async () => {
    const source = await ScriptedRtmpServer.start({
      script({ name }, { connection }) {
        if (name !== 'play') return undefined
        connection.sendMedia(FLV_TAG_TYPE.audio, STREAM_ID, 0, [Buffer.from('af001210', 'hex')])
        connection.send(status('NetStream.Play.Start'), STREAM_ID)
        connection.sendMedia(FLV_TAG_TYPE.audio, STREAM_ID, 0, [Buffer.from('af0121001f', 'hex')])
        connection.send(status('NetStream.Play.Start'), STREAM_ID)
        return 'done'
      },
    })
    const server = await startRtmpServer()
    askForPull(server, source.url())
    await waitFor(() => server.streams.get(SOURCE_PATH)?.tracks.some(({ codec }) => codec === 'aac'))
  })

  it('gives a target up that takes nothing', async () => {
    const target = await ScriptedRtmpServer.start({
      script({ name }, { socket }) {
        // After the answer.
        if (name === 'publish') setImmediate(() => void socket.pause())
        return undefined
      },
    })
    const server = await startRtmpServer({ subscribe: { stalltimeout: '200ms' } })
    const script = new ScriptedPublisher(await server.streams.publish(sessionInit(SOURCE_PATH)), { unitBytes: 500_000 })
    const timer = setInterval(() => script.write(1), 20)
    try {
      expect(await askForPush(server, target.url()).result).to.include({ code: 'slow' })
    } finally {
      clearInterval(timer)
    }
  })

  it('ends with its publisher, for the reason that the server had', async () => {
    const source = await ScriptedRtmpServer.start()
    const server = await startRtmpServer({ publish: { publishtimeout: '100ms' } })
    const { result } = askForPull(server, source.url())
    expect(await result).to.deep.include({ by: 'server' })
    await waitFor(() => source.peers.size === 0)
  })

  describe('leaves nothing of a server', () => {
    const says = (bytes: Buffer) => (socket: Socket) => {
      socket.resume().write(bytes)
      return 'done' as const
    }
    const HANDSHAKE = Buffer.concat([Buffer.of(3), Buffer.alloc(1536 * 2)])
    const hostile: readonly (readonly [what: string, takeOver: (socket: Socket) => 'done', message: RegExp])[] = [
      [
        'that speaks something else',
        says(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
        /malformed: HTTP, not RTMP/u,
      ],
      ['that sends garbage', says(Buffer.concat([HANDSHAKE, randomBytes(1 << 20)])), /malformed|ended before/u],
      [
        'that sends a huge message',
        says(Buffer.concat([HANDSHAKE, Buffer.from('03000000ffffff1400000000', 'hex'), Buffer.alloc(1 << 20)])),
        /malformed: .*bytes/u,
      ],
      [
        'that begins many messages',
        says(
          Buffer.concat([
            HANDSHAKE,
            ...Array.from({ length: 65_536 }, (_, id) =>
              Buffer.of(1, id & 255, id >> 8, 0, 0, 0, 0, 4, 0, 20, 0, 0, 0, 0),
            ),
          ]),
        ),
        /malformed: .*/u,
      ],
    ]
    for (const [what, takeOver, message] of hostile) {
      it(what, async () => {
        const target = await ScriptedRtmpServer.start({ takeOver })
        const server = await startRtmpServer()
        for (const kind of KINDS) {
          expect(await failureOf(await ask(kind, server, `${target.url(USER)}${QUERY}`)))
            .to.match(message)
            .and.not.match(SECRETS)
        }
        await waitFor(() => target.peers.size === 0)
        expect(server.streams.subscribers(SOURCE_PATH).filter(({ type }) => type === 'push')).to.eql([])
      })
    }

    const steps: readonly (readonly [step: string, kinds: readonly Kind[]])[] = [
      ['connect', KINDS],
      ['createStream', KINDS],
      ['publish', ['push']],
      ['play', ['pull']],
    ]
    for (const [step, kinds] of steps) {
      for (const kind of kinds) {
        it(`that closes, says nothing, or refuses at ${step}: ${kind}`, async () => {
          const server = await startRtmpServer()
          const closing = await ScriptedRtmpServer.start({
            script({ name }, { socket }) {
              if (name !== step) return undefined
              socket.resetAndDestroy()
              return 'done'
            },
          })
          expect(await failureOf(await ask(kind, server, closing.url(USER)))).to.match(/^the connection ended before/u)
          const silent = await ScriptedRtmpServer.start({ script: ({ name }) => (name === step ? 'done' : undefined) })
          const job = await ask(kind, server, silent.url(USER))
          await waitFor(() => silent.names.includes(step))
          job.stop()
          expect(await failureOf(job)).to.match(/stopped/u)
          const refusing = await ScriptedRtmpServer.start({
            script(command, { connection }) {
              if (command.name !== step) return undefined
              if (command.transactionId === 0) connection.send(status('NetStream.Failed', 'error'), STREAM_ID)
              else connection.send({ ...refusal(command, 's3cret'), args: [{ level: 'error', code: 's3cret' }] })
              return 'done'
            },
          })
          expect(await failureOf(await ask(kind, server, `${refusing.url(USER)}${QUERY}`)))
            .to.match(/^the server (?:refused: an unknown status|answered to \w+: NetStream\.Failed)$/u)
            .and.not.match(SECRETS)
          await waitFor(() => [closing, silent, refusing].every(({ peers }) => peers.size === 0))
          const { streams } = server
          expect(streams.subscribers(SOURCE_PATH).filter(({ type }) => type === 'push')).to.eql([])
          if (kind === 'pull') expect(streams.get(SOURCE_PATH)).to.equal(undefined)
        })
      }
    }

    it('that plays garbage', async () => {
      const source = await ScriptedRtmpServer.start({
        script({ name }, { connection, socket }) {
          if (name !== 'play') return undefined
          connection.send(status('NetStream.Play.Start'), STREAM_ID)
          for (let count = 0; count < 300; count++) {
            const type = [FLV_TAG_TYPE.audio, FLV_TAG_TYPE.video, FLV_TAG_TYPE.script, 22][count % 4]!
            connection.sendMedia(type, STREAM_ID, count, [randomBytes(count)])
          }
          socket.end()
          return 'done'
        },
      })
      const server = await startRtmpServer()
      for (let round = 0; round < 20; round++) {
        expect(await failureOf(await ask('pull', server, source.url()))).to.match(/^the connection has ended: /u)
      }
      await waitFor(() => source.peers.size === 0)
      expect(server.streams.get(SOURCE_PATH)).to.equal(undefined)
    })

    it('that cannot be reached, or is none', async () => {
      const server = await startRtmpServer()
      const cases: readonly (readonly [url: string, message: RegExp])[] = [
        [`rtmp://${USER}127.0.0.1:${await freePort()}/live/x${QUERY}`, /ECONNREFUSED/u],
        [`http://${USER}127.0.0.1/live/x${QUERY}`, /^not an address of RTMP/u],
        [`rtmp://${USER}127.0.0.1/live${QUERY}`, /^not an address of RTMP/u],
      ]
      for (const [url, message] of cases) {
        for (const kind of KINDS) {
          expect(await failureOf(await ask(kind, server, url)))
            .to.match(message)
            .and.not.match(SECRETS)
        }
      }
    })
  })
})
