import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { AccessUnit, Publisher } from 'sluice/sdk'
import { SCRIPTED_AUDIO, ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import snap from '../index.ts'
import { colorOf, difference, encodedColors, FRAGMENTED, HEIGHT, seen, unitsOf, WIDTH } from './test-pictures.ts'

const PATH = 'live/cam'
const LETTERS = Array.from({ length: 51 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2']
const NAME = /^live_cam_\d{14}\.\d{3}(?:-\d+)?\.jpg$/u

type Server = TestServer<unknown>

/** A task as the API shows it. */
type TaskNode = {
  readonly id: number
  readonly startReason: string
  readonly description: Readonly<Record<string, string>>
  readonly children?: readonly TaskNode[]
}

function below({ children = [] }: TaskNode): TaskNode[] {
  return children.flatMap((child) => [child, ...below(child)])
}

describe('snap', () => {
  /** The units of the test picture, second by second. */
  let seconds: AccessUnit[][]
  let root: string

  before(function () {
    requirePeer(this, 'ffmpeg')
    seconds = []
    for (const unit of unitsOf(encodedColors(5, X264, FRAGMENTED))) {
      if (unit.keyframe) seconds.push([])
      seconds.at(-1)?.push(unit)
    }
  })

  async function start(config: Record<string, unknown> = {}): Promise<Server> {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-snap-'))
    const folder = root
    const global = { storage: { local: { path: folder } } }
    const server = await createTestServer(snap, { config: { subscribe: { waittimeout: '300ms' }, ...config }, global })
    keep({
      async close() {
        await server.stop()
        await rm(folder, { recursive: true, force: true })
      },
    })
    return server
  }

  async function publish({ streams }: Server, path = PATH) {
    const publisher: Publisher = await streams.publish(sessionInit(path))
    const track = publisher.addTrack(seconds[0]![0]!.track)
    publisher.tracksComplete()
    const write = (second: number) => {
      for (const unit of seconds[second]!) publisher.write(unit.at(track, unit.dts, unit.pts))
    }
    return Object.assign(write, { publisher })
  }

  async function ask({ origin }: Server, target: string) {
    const answer = await fetch(`${origin}/snap/${target}`)
    const body = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, type: answer.headers.get('content-type'), body, text: body.toString() }
  }

  async function kept(folder: string): Promise<string[]> {
    const names = await readdir(path.join(root, folder)).catch(() => [])
    return names.filter((name) => name.endsWith('.jpg')).toSorted()
  }

  describe('manual', () => {
    it('is the newest keyframe, of the size of the stream', async () => {
      const server = await start()
      const write = await publish(server)
      for (const second of [0, 1, 2]) {
        write(second)
        const { status, type, body } = await ask(server, PATH)
        expect([status, type]).to.eql([200, 'image/jpeg'])
        expect(seen(body)).to.include({ width: WIDTH, height: HEIGHT })
        expect(colorOf(body)).to.equal(['red', 'lime', 'blue'][second])
      }
      expect(server.requests.at(-1)).to.include({ streamPath: PATH, protocol: 'snap', type: 'server', action: 'play' })
      await waitFor(() => server.streams.subscribers().length === 0)
      expect(server.problems).to.eql([])
      expect(await kept('')).to.eql([])
    })

    it('has the watermark that the query asks for', async () => {
      const server = await start()
      const write = await publish(server)
      write(2)
      const plain = seen((await ask(server, PATH)).body)
      const query = `watermark=${encodeURIComponent("Tür 3: 5'")}&font_size=20&offsetX=60&offsetY=100&fontColor=rgba(255,255,255,1)`
      const changed = difference(plain, seen((await ask(server, `${PATH}?${query}`)).body))!
      expect(changed.left).to.be.within(60, 66)
      expect(changed.top).to.be.within(96, 110)
      expect(changed.bottom).to.be.below(130)
    })

    it('says what is wrong, in a text', async () => {
      const server = await start()
      const write = await publish(server)
      write(0)
      const wrong = {
        'fontSize=0': 'fontSize',
        'fontSize=x': 'fontSize',
        'watermark=a%00b': 'watermark',
        [`watermark=${encodeURIComponent(LETTERS)}&fontSize=1000`]: 'the watermark is too large',
        'watermark=a&fontColor=red': 'fontColor',
        'watermark=a&fontColor=rgba(256,0,0,1)': 'fontColor',
        'watermark=a&fontPath=/etc/passwd': 'fontPath',
        'watermark=a&fontPath=/usr/share/fonts/../../../etc/passwd': 'fontPath',
        'watermark=a&fontPath=../x.ttf': 'fontPath',
        'watermark=a&fontPath=Sans:file=/etc/passwd': 'fontPath',
        'offsetX=-1': 'offsetX',
        'isUrl=1': 'savePath',
      }
      for (const [query, named] of Object.entries(wrong)) {
        const { status, type, text } = await ask(server, `${PATH}?${query}`)
        expect([status, type], query).to.eql([400, 'text/plain; charset=utf-8'])
        expect(text, query).to.include(named)
      }
      expect((await ask(server, `${PATH}?watermark=${LETTERS.slice(0, 50)}&fontSize=1000`)).status).to.equal(200)
      expect(server.streams.subscribers()).to.eql([])
      expect(await ask(server, 'live/none')).to.include({ status: 404, type: 'text/plain; charset=utf-8' })
      expect((await ask(server, '')).status).to.equal(400)
      expect(server.problems).to.eql([])
    })

    it('says so where the stream has no picture that can be decoded', async () => {
      const server = await start()
      const publisher = await server.streams.publish(sessionInit(PATH))
      new ScriptedPublisher(publisher).writeFrames(1)
      publisher.tracksComplete()
      expect(await ask(server, PATH)).to.include({ status: 500, text: 'the picture can not be decoded' })
      const sound = await server.streams.publish(sessionInit('live/sound'))
      sound.addTrack(SCRIPTED_AUDIO)
      sound.tracksComplete()
      expect(await ask(server, 'live/sound')).to.include({ status: 404, text: 'the stream has no pictures' })
    })

    it('is for those whom the gates let play', async () => {
      const server = await start()
      const write = await publish(server)
      write(0)
      server.denyAll()
      for (const query of ['', '?watermark=a&fontPath=/etc/passwd']) {
        expect(await ask(server, PATH + query)).to.include({ status: 401, text: 'unauthorized' })
      }
    })

    it('says that ffmpeg is missing', async () => {
      const server = await start({ ffmpegpath: '/no/ffmpeg' })
      const write = await publish(server)
      write(0)
      expect(await ask(server, PATH)).to.include({ status: 503 })
      expect(server.problems.map(({ msg }) => msg)).to.have.length(1)
    })
  })

  describe('kept', () => {
    it('lies below the storage, with an address of its own', async () => {
      const server = await start()
      const write = await publish(server)
      write(1)
      const { status, text } = await ask(server, `${PATH}?savePath=door/./shots&isUrl=1`)
      expect(status).to.equal(200)
      const [name] = await kept('door/shots')
      expect(name).to.match(NAME)
      const url = `${server.origin}/snap/picture/door/shots/${name}`
      expect(JSON.parse(text)).to.eql({ url, markdown: `![live/cam](<${url}>)` })
      const picture = Buffer.from(await (await fetch(url)).arrayBuffer())
      expect(picture).to.eql(await readFile(path.join(root, 'door/shots', name!)))
      expect(colorOf(picture)).to.equal('lime')
      // The picture itself, where no address is asked for.
      expect(colorOf((await ask(server, `${PATH}?save_path=x`)).body)).to.equal('lime')
      expect(await kept('x')).to.have.length(1)
      await server.configure({ enableauth: true, subscribe: { key: 'secret' } })
      const none = { status: 404, text: 'there is no such picture' }
      for (const way of [`door/shots/${name}`, 'door/shots/none.jpg']) {
        expect(await ask(server, `picture/${way}`)).to.include(none)
      }
    })

    it('never lies elsewhere', async () => {
      const server = await start()
      const write = await publish(server)
      write(0)
      for (const folder of ['../out', '/etc', 'a/../../b', 'a\\b', 'C:\\x', 'a\u0000b', '..', 'x'.repeat(300)]) {
        const { status } = await ask(server, `${PATH}?savePath=${encodeURIComponent(folder)}`)
        expect(status, folder).to.equal(400)
      }
      for (const way of ['..%2f..%2fetc/passwd', '%2e%2e/x.jpg', 'door/none.jpg', '%00', '']) {
        expect((await ask(server, `picture/${way}`)).status, way).to.be.oneOf([400, 404])
      }
      expect(await readdir(path.dirname(root))).to.not.include('out')
      expect(await readdir(root)).to.eql([])
    })

    it('keeps pictures of streams apart whose names are the same with _ for /', async () => {
      const server = await start()
      const paths = ['a/b', 'a_b', `${'ü'.repeat(120)}/one`, `${'ü'.repeat(120)}/two`, 'x:y"<>|/z']
      for (const path of paths) (await publish(server, path))(0)
      const asked = paths.map((path) => ask(server, `${encodeURI(path)}?savePath=s`))
      for (const { status, text } of await Promise.all(asked)) expect(status, text).to.equal(200)
      expect(await kept('s')).to.have.length(paths.length)
    })
  })

  describe('history', () => {
    it('is the stored picture at or before a time, if it is near', async () => {
      const server = await start()
      const write = await publish(server)
      const times: number[] = []
      for (const second of [0, 1]) {
        write(second)
        await ask(server, `${PATH}?savePath=s`)
        const [, stamp = ''] = /_(\d{14}\.\d{3})\.jpg$/u.exec((await kept('s')).at(-1)!) ?? []
        times.push(Date.parse(stamp.replace(/^(....)(..)(..)(..)(..)(.*)$/u, '$1-$2-$3T$4:$5:$6Z')) / 1000)
      }
      const [first = 0, second = 0] = times
      const at = async (time: number) => {
        const { status, body } = await ask(server, `query/${PATH}?snapTime=${time.toFixed(3)}`)
        return status === 200 ? colorOf(body) : status
      }
      expect(await at(first)).to.equal('red')
      expect(await at(second - 0.001)).to.equal('red')
      expect(await at(second)).to.equal('lime')
      expect(await at(second + 3)).to.equal('lime')
      expect(await at(second + 3.001)).to.equal(404)
      expect(await at(first - 0.001)).to.equal(404)
      for (const time of ['', 'x', '-1', '1e9']) {
        expect(await ask(server, `query/${PATH}?snapTime=${time}`)).to.include({ status: 400 })
      }
      expect(await ask(server, `query/live/none?snapTime=${Math.ceil(second)}`)).to.include({
        status: 404,
        type: 'text/plain; charset=utf-8',
      })
    })

    it('forgets a picture whose file was deleted, and has the one before', async () => {
      const server = await start()
      const write = await publish(server)
      for (const second of [0, 1]) {
        write(second)
        await ask(server, `${PATH}?savePath=s`)
      }
      await rm(path.join(root, 's', (await kept('s')).at(-1)!))
      const { status, body } = await ask(server, `query/${PATH}?snapTime=${(Date.now() / 1000).toFixed(3)}`)
      expect([status, colorOf(body)]).to.eql([200, 'red'])
    })
  })

  describe('rules', () => {
    /** Writes seconds, each when the picture of the one before is there. */
    async function picture(write: (second: number) => void, folder: string, counts: readonly number[]): Promise<void> {
      for (const [second, count] of counts.entries()) {
        write(second)
        await waitFor(async () => (await kept(folder)).length === count, { what: `${count} pictures` })
      }
    }

    async function colors(folder: string) {
      const names = await kept(folder)
      return Promise.all(names.map(async (name) => colorOf(await readFile(path.join(root, folder, name)))))
    }

    it('picture streams by time, and by keyframes, while they are published', async () => {
      const transform = {
        '^live/': { timeinterval: '2s', savepath: 'time' },
        cam$: { iframeinterval: 3, savepath: 'keyframes', watermark: { text: '.', fontsize: 1 } },
        '^other/': { iframeinterval: 1 },
      }
      const server = await start({ onpub: { transform } })
      const write = await publish(server)
      await picture(write, 'time', [1, 1, 2, 2, 3])
      expect(await colors('time')).to.eql(['red', 'blue', 'white'])
      await waitFor(async () => (await kept('keyframes')).length === 2)
      expect(await colors('keyframes')).to.eql(['red', 'yellow'])
      expect(await kept('snap')).to.eql([])
      expect((await kept('time'))[0]).to.match(NAME)
      expect(server.problems).to.eql([])
    })

    it('go on with the next generation, once, and end with the stream', async () => {
      const server = await start({ onpub: { transform: { '.': { iframeinterval: 1, savepath: 'p' } } } })
      const write = await publish(server)
      await picture(write, 'p', [1, 2])
      await server.replace()
      // It begins with the newest keyframe, as the one before has.
      await waitFor(async () => (await kept('p')).length === 3)
      await waitFor(() => server.streams.subscribers(PATH).length === 1)
      write(2)
      await waitFor(async () => (await kept('p')).length === 4)
      expect(await colors('p')).to.eql(['red', 'lime', 'lime', 'blue'])
      write.publisher.close()
      await waitFor(() => server.streams.subscribers().length === 0)
    })

    it('that can not be followed keep the plugin from starting, and say why', async () => {
      for (const rule of [
        {},
        { timeinterval: '1s', iframeinterval: 1 },
        { iframeinterval: 1, watermark: { text: 'x', fontcolor: 'red' } },
      ]) {
        const error = await start({ onpub: { transform: { '^a': rule } } }).catch((failure: Error) => failure)
        expect(error).to.be.instanceOf(Error).and.have.property('message').that.includes('onpub.transform.^a')
      }
    })
  })

  describe('live batch', () => {
    it('takes pictures of every keyframe until its end, as a task', async () => {
      const server = await start()
      const write = await publish(server)
      write(0)
      const end = Math.ceil(Date.now() / 1000) + 60
      const { status, text } = await ask(server, `batch/${PATH}?end=${end}&granularity=0`)
      expect([status, JSON.parse(text)]).to.eql([
        200,
        { success: true, message: 'pictures of the stream are being taken' },
      ])
      for (const second of [1, 2, 3]) {
        await waitFor(async () => (await kept('snap')).length === second)
        write(second)
      }
      await waitFor(async () => (await kept('snap')).length === 4)
      const tree = await (await fetch(`${server.origin}/api/task/tree`)).text()
      expect(tree).to.include('pictures of a stream').and.include(PATH)
      expect(server.streams.subscribers(PATH)).to.have.length(1)
    })

    it('is one of four where it is restarted, too', async () => {
      const server = await start()
      await publish(server)
      const query = `batch/${PATH}?end=${Math.ceil(Date.now() / 1000) + 60}`
      for (let count = 0; count < 4; count++) expect((await ask(server, query)).status).to.equal(200)
      const tasks = async () => {
        const { data } = (await (await fetch(`${server.origin}/api/task/tree`)).json()) as { readonly data: TaskNode }
        return below(data).filter(({ description }) => description['kind'] === 'pictures of a stream')
      }
      const [first] = await tasks()
      await fetch(`${server.origin}/api/task/restart/${first!.id}`, { method: 'POST', body: '{}' })
      await waitFor(async () => (await tasks()).some(({ startReason }) => startReason === 'restart'))
      expect((await ask(server, query)).status).to.equal(503)
      expect(await tasks()).to.have.length(4)
    })

    it('says what is wrong in the body that its answers have', async () => {
      const server = await start()
      const past = Math.floor(Date.now() / 1000) - 10
      for (const query of [
        '',
        `end=${past}`,
        'end=x',
        `start=${past + 100}&end=${past + 90}`,
        `end=${past + 99_999_999}`,
        `end=${past + 100}&granularity=x`,
      ]) {
        const { status, text } = await ask(server, `batch/${PATH}?${query}`)
        const body = JSON.parse(text) as { readonly message: string }
        expect([status, Object.keys(body)], query).to.eql([400, ['success', 'message']])
        expect(body, query).to.include({ success: false })
      }
      const end = past + 100
      const asked = await Promise.all(Array.from({ length: 5 }, () => ask(server, `batch/${PATH}?end=${end}`)))
      expect(asked.map(({ status }) => status)).to.have.members([200, 200, 200, 200, 503])
    })
  })
})
