import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { Config } from '../../core/config/config.ts'
import gb28181 from '../../plugins/gb28181/index.ts'
import rtmp from '../../plugins/rtmp/index.ts'
import rtsp from '../../plugins/rtsp/index.ts'
import srt from '../../plugins/srt/index.ts'
import webrtc from '../../plugins/webrtc/index.ts'
import { PeerProcess, runPeer } from '../peers/process.ts'
import { waitFor } from '../peers/wait-for.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const STREAM = 'live/demo'
/** Root has no rights of its own then, as in a container that drops all capabilities. */
const WITHOUT_CAPABILITIES = ['setpriv', '--bounding-set=-all', '--inh-caps=-all']

type Service = {
  readonly read_only: boolean
  readonly tmpfs: readonly string[]
  readonly volumes: readonly string[]
  readonly cap_drop: readonly string[]
  readonly ports: readonly string[]
  /** Names alone, whose values are those of the shell. */
  readonly environment: readonly string[]
  readonly healthcheck: { readonly test: readonly string[] } & Readonly<Record<string, unknown>>
}
type Compose = { readonly services: { readonly sluice: Service }; readonly volumes: Readonly<Record<string, unknown>> }

/** The instructions of the Dockerfile, a line each. */
class Dockerfile {
  readonly lines: readonly string[]

  constructor(text: string) {
    this.lines = text.replaceAll(/\\\n\s*/gu, '').split('\n')
  }

  /** What follows the instructions of a kind in the stage that is run. */
  values(instruction: string): string[] {
    const stage = this.lines.slice(this.lines.findLastIndex((line) => line.startsWith('FROM ')))
    return stage.flatMap((line) => (line.startsWith(`${instruction} `) ? line.slice(instruction.length + 1) : []))
  }

  /** The list in the form of JSON that an instruction has. */
  list(instruction: string): string[] {
    return JSON.parse(/\[.*\]/u.exec(this.values(instruction)[0] ?? '')?.[0] ?? '[]') as string[]
  }

  get environment(): Record<string, string> {
    const words = this.values('ENV').flatMap((line) => line.split(' '))
    return Object.fromEntries(words.map((word) => word.split('=') as [string, string]))
  }
}

describe('in a container', () => {
  let dockerfile: Dockerfile
  let compose: Compose
  let ignored: readonly string[]
  before(async () => {
    const text = (name: string) => readFile(path.join(ROOT, name), 'utf8')
    dockerfile = new Dockerfile(await text('Dockerfile'))
    compose = parse(await text('compose.yaml')) as Compose
    ignored = (await text('.dockerignore')).split('\n')
  })

  it('what the image sets are keys of the config, and all that is written is in the volume', async () => {
    const passed = compose.services.sluice.environment.map((name) => [name, '192.0.2.1'] as const)
    const env = { ...dockerfile.environment, ...Object.fromEntries(passed) }
    const config = await Config.load({ file: path.join(ROOT, 'config/config.yaml'), env })
    expect(config.warnings().filter((warning) => warning.startsWith('SLUICE_'))).to.eql([])
    const { datadir, storage } = config.global
    const [volume] = dockerfile.values('VOLUME')
    expect([datadir, path.dirname(storage.local.path)]).to.eql([volume, volume])
    expect(dockerfile.values('USER')).to.eql(['node'])
  })

  it('the ports are those of the config', async () => {
    const config = await Config.load({ file: path.join(ROOT, 'config/config.yaml'), env: {} })
    const listening = [
      config.global.http.listenaddr,
      config.declare(rtmp).values.tcp.listenaddr,
      config.declare(rtsp).values.tcp.listenaddr,
      ...[config.declare(srt).values.listenaddr].map((address) => `udp${address}`),
      ...[config.declare(webrtc).values.port].flat(),
      ...config.declare(gb28181).values.sip.listenaddr.map((address) => address.replace('::', ':')),
    ]
    const ports = listening.map((address) =>
      address.replace(/^(?:tcp)?:(\d+)$/u, '$1/tcp').replace(/^udp:(\d+)$/u, '$1/udp'),
    )
    const written = (port: string) => (port.includes('/') ? port : `${port}/tcp`)
    expect(dockerfile.values('EXPOSE').join(' ').split(' ').map(written)).to.have.members(ports)
    const { ports: published } = compose.services.sluice
    expect(published.map((port) => written(port.split(':')[1] ?? ''))).to.have.members(ports)
    expect(published.every((port) => port.split(':')[0] === port.split(':')[1]?.split('/')[0])).to.equal(true)
  })

  it('compose.yaml keeps what must survive, and has nothing else written', () => {
    const { services, volumes } = compose
    const { read_only, tmpfs, cap_drop, volumes: mounted, healthcheck } = services.sluice
    expect({ read_only, tmpfs, cap_drop }).to.eql({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] })
    const [name = '', target] = mounted[0]?.split(':') ?? []
    expect([Object.keys(volumes), [target]]).to.eql([[name], dockerfile.values('VOLUME')])
    expect(healthcheck.test).to.eql(['CMD', ...dockerfile.list('HEALTHCHECK')])
  })

  it('checks what fails, too', async () => {
    const [, , script = ''] = dockerfile.list('HEALTHCHECK')
    const peer = new PeerProcess(process.execPath, ['-e', script.replace(':8080/', ':1/')])
    expect(await peer.exit).to.eql({ code: 1, signal: null })
  })

  describe('from files that are read-only', () => {
    let folder: string
    let app: string
    let data: string
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
      app = path.join(folder, 'app')
      data = path.join(folder, 'data')
    })
    afterEach(async () => {
      await setWritable(app, true)
      await rm(folder, { recursive: true, force: true })
    })

    /** Copies what the image has, past .dockerignore. */
    async function build(): Promise<void> {
      const lines = dockerfile.values('COPY').map((line) => line.split(' '))
      const copied = lines.flatMap((words) => (words[0]?.startsWith('--') ? [] : words.slice(0, -1)))
      for (const name of copied) expect(ignored).to.include(`!${name}`)
      const made = lines.flatMap(([from, , name = '']) => (from === '--from=build' ? name : []))
      for (const name of [...copied, ...made]) {
        await cp(path.join(ROOT, name), path.join(app, name), { recursive: true, filter: isCopied })
      }
      await symlink(path.join(ROOT, 'node_modules'), path.join(app, 'node_modules'))
      await setWritable(app, false)
    }

    const isCopied = (file: string) => !/\.test\.ts$|\/fixtures$/u.test(file)

    it('it starts, is healthy, records into the volume, and ends in order', async () => {
      await build()
      const inVolume = Object.entries(dockerfile.environment).map(([name, value]) => {
        return [name, value.replace(/^\/data/u, data)] as const
      })
      const env = {
        ...process.env,
        ...Object.fromEntries(inVolume),
        SLUICE_GLOBAL_HTTP_LISTENADDR: '127.0.0.1:0',
        SLUICE_RTMP_TCP_LISTENADDR: ':0',
        SLUICE_RTSP_TCP_LISTENADDR: ':0',
        SLUICE_WEBRTC_PORT: '[udp:0, tcp:0]',
        SLUICE_SRT_LISTENADDR: ':0',
        SLUICE_GB28181_SIP_LISTENADDR: '[udp::0, tcp::0]',
      }
      const [, ...args] = dockerfile.list('ENTRYPOINT')
      const lent = process.getuid?.() === 0 ? WITHOUT_CAPABILITIES : []
      const [program = '', ...words] = [...lent, process.execPath, ...args]
      const server = new PeerProcess(program, words, { cwd: app, env })
      const isUp = () => server.exited !== undefined || server.stdout.includes('"the server is up"')
      await waitFor(isUp, { what: 'the server to start' })
      expect(server.stderr).to.equal('')
      const records = server.stdout
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      const port = records.find(({ owner, port }) => owner === 'the server' && port !== undefined)?.['port']
      const [, option, script = ''] = dockerfile.list('HEALTHCHECK')
      await runPeer(process.execPath, [option ?? '', script.replace(':8080/', `:${String(port)}/`)])

      const origin = `http://127.0.0.1:${String(port)}`
      for (const what of ['start', 'stop']) {
        const answer = await fetch(`${origin}/mp4/api/${what}/${STREAM}`, { method: 'POST' })
        expect(answer.status, what).to.equal(200)
        const files = async () => (await filesOf(data)).filter((file) => file.startsWith(`recordings/${STREAM}/`))
        await waitFor(async () => (await files()).length > 0, { what: 'the file' })
      }
      server.signal('SIGTERM')
      expect(await server.exit).to.eql({ code: 0, signal: null })
      expect(await filesOf(data)).to.include('sluice.db')
      expect((await readdir(app)).toSorted())
        .not.to.include.members(['data'])
        .and.not.include.members(['recordings'])
    })
  })
})

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [])
  return entries
}

/** Gives or takes the right to write to a folder and all that is in it, but not to what links lead to. */
async function setWritable(folder: string, isWritable: boolean): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const places = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map(({ parentPath, name }) => path.join(parentPath, name))
  for (const place of [folder, ...places]) {
    const { mode } = await stat(place)
    await chmod(place, isWritable ? mode | 0o200 : mode & ~0o222)
  }
}
