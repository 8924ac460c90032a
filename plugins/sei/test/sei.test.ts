import { expect } from 'chai'
import type { AccessUnit, Publisher, PublishOptions, Track } from 'sluice/sdk'
import { parseH264Sei, rescale } from 'sluice/sdk/media'
import {
  createFakeHost,
  ScriptedPublisher,
  ScriptedSubscriber,
  SCRIPTED_AUDIO,
  SCRIPTED_VIDEO,
  sessionInit,
} from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { MAX_PENDING_BYTES, MAX_PENDING_MESSAGES } from '../derived-stream.ts'
import sei from '../index.ts'
import { TEXT_UUID } from '../insertion.ts'

const PATH = 'live/a'
const TARGET = `${PATH}/sei`
const SEI_HEADER = 0x06

type Answer = { readonly status: number; readonly body: { readonly code: number; readonly message: string } }

async function post(origin: string, target: string, data: string | undefined): Promise<Answer> {
  const init = data === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(data) }
  const response = await fetch(`${origin}/sei/api/insert/${target}`, { method: 'POST', ...init })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

/** What was inserted into a unit: texts behind the UUID of the plugin. */
function textsIn(unit: AccessUnit): string[] {
  if (unit.track.kind !== 'video') return []
  const messages = unit.nalus.filter((nalu) => nalu[0] === SEI_HEADER).flatMap(parseH264Sei)
  return messages.map(({ payload }) => {
    expect(payload.subarray(0, 16)).to.eql(TEXT_UUID)
    return payload.subarray(16).toString()
  })
}

/** A unit without what was inserted. */
const bare = (unit: AccessUnit) =>
  unit.track.kind === 'video' ? unit.nalus.filter((nalu) => nalu[0] !== SEI_HEADER).map(String) : [String(unit.data)]

const msOf = ({ dts, track }: Pick<AccessUnit, 'dts' | 'track'>) => rescale(dts, track.timescale, 1000)

describe('sei on the fake host', () => {
  async function start() {
    const host = await createFakeHost(sei)
    keep({ close: () => host.dispose() })
    const publisher = await host.streams.publish(sessionInit(PATH))
    const source = new ScriptedPublisher(publisher, { bFrames: 2 })
    publisher.tracksComplete()
    const insert = (data: string, target = PATH) => post(host.http.origin, target, data)
    const copy = () => host.streams.publishers.find(({ streamPath }) => streamPath === TARGET)
    return { host, publisher, source, insert, copy }
  }

  it('puts all that waits into the next picture, in its order, and leaves the rest as it is', async () => {
    const { source, insert, copy } = await start()
    source.writeFrames(3)
    expect(await insert('first')).to.eql({ status: 200, body: { code: 0, message: 'success' } })
    await insert('second')
    expect(copy()?.request.type).to.equal('transform')
    source.writeFrames(5)
    await insert('{"third":3}', `${PATH}?format=json`)
    source.writeFrames(8)
    const units = copy()?.units ?? []
    const pictures = units.filter(({ track }) => track.kind === 'video')
    expect(pictures.map(textsIn)).to.eql([[], [], [], ['first', 'second'], [], ['{"third":3}'], [], []])
    expect(units.map(({ dts, pts, keyframe }) => [dts, pts, keyframe])).to.eql(
      source.units.map(({ dts, pts, keyframe }) => [dts, pts, keyframe]),
    )
    expect(units.map(bare)).to.eql(
      source.units.map(({ track, data }) => [String(track.kind === 'video' ? data.subarray(4) : data)]),
    )
  })

  it('changes nothing of the units of its source', async () => {
    const { source, insert, publisher } = await start()
    source.writeFrames(1)
    await insert('text')
    source.writeFrames(3)
    expect(publisher.units.flatMap(textsIn)).to.eql([])
  })

  it('begins once where several ask at the same time', async () => {
    const { host, source, insert, copy } = await start()
    source.writeFrames(1)
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => insert(text)))
    expect(answers.map(({ status }) => status)).to.eql([200, 200, 200])
    source.writeFrames(2)
    expect(copy()?.units.flatMap(textsIn)).to.have.members(['a', 'b', 'c'])
    expect(host.streams.publishers).to.have.length(2)
  })

  it('takes no more than can wait, and goes on once a picture has come', async () => {
    const { source, insert, copy } = await start()
    source.writeFrames(1)
    const inserted = async (count: number, text: string) => {
      for (let index = 0; index < count; index++) expect((await insert(text)).status).to.equal(200)
    }
    await inserted(MAX_PENDING_MESSAGES, 'x')
    const { status, body } = await insert('x')
    expect(status).to.equal(503)
    expect(body.message).to.contain(`${MAX_PENDING_MESSAGES} messages`)
    source.writeFrames(2)
    const long = 'x'.repeat(60_000)
    await inserted(Math.floor(MAX_PENDING_BYTES / (long.length + TEXT_UUID.length)), long)
    expect((await insert(long)).status).to.equal(503)
    source.writeFrames(3)
    expect(copy()?.units.flatMap(textsIn)).to.have.length(MAX_PENDING_MESSAGES + 4)
  })

  it('passes on discontinuities, other configurations, and tracks that come and go', async () => {
    const { source, insert, copy, publisher } = await start()
    source.writeFrames(1)
    await insert('a')
    const data = publisher.addTrack({
      kind: 'data',
      codec: 'text',
      timescale: 1000,
      config: { record: Buffer.alloc(0), codecString: '' },
    })
    const codecs = () => copy()?.tracks.map(({ codec }) => codec)
    expect(codecs()).to.eql(['h264', 'aac', 'text'])
    publisher.removeTrack(data)
    expect(codecs()).to.eql(['h264', 'aac'])
    source.videoTrack = publisher.configureTrack(source.videoTrack!, { ...source.videoTrack!.config, width: 640 })
    expect(copy()?.tracks[0]).to.have.nested.property('config.width', 640)
    publisher.discontinuity()
    source.writeFrames(26)
    expect(copy()?.discontinuities).to.eql([1])
    expect(copy()?.units.flatMap(textsIn)).to.eql(['a'])
    expect(copy()?.units.at(-1)?.track.id).to.be.below(2)
  })

  it('has the tracks of the next publisher, in whichever order that declares them', async () => {
    const { host, source, insert, copy, publisher } = await start()
    source.writeFrames(1)
    await insert('a')
    publisher.close('over')
    const next = await host.streams.publish(sessionInit(PATH))
    next.addTrack(SCRIPTED_AUDIO)
    const pictures = new ScriptedPublisher(next, { audio: false })
    next.tracksComplete()
    await insert('b')
    pictures.writeFrames(2)
    expect(copy()?.tracks.map(({ codec }) => codec)).to.eql(['aac', 'h264'])
    expect(copy()?.units.map(textsIn)).to.eql([[], ['a', 'b'], []])
  })

  it('refuses what it can do nothing with, and says why', async () => {
    const { host, source, insert } = await start()
    source.writeFrames(1)
    const sound = await host.streams.publish(sessionInit('live/sound'))
    sound.addTrack(SCRIPTED_AUDIO)
    sound.tracksComplete()
    const vp8 = await host.streams.publish(sessionInit('live/vp8'))
    vp8.addTrack({ ...SCRIPTED_VIDEO, codec: 'vp8' } as Track)
    vp8.tracksComplete()
    await insert('x')
    for (const [target, data, status, says] of [
      ['live/none', 'x', 404, 'not found'],
      [`live/vp8?targetStreamPath=${PATH}`, 'x', 501, 'H.264 and H.265; live/vp8 has vp8'],
      ['live/sound', 'x', 501, 'H.264 and H.265; live/sound has no pictures'],
      [`${PATH}?targetStreamPath=live/sound`, 'x', 409, 'stream exist'],
      [`live/sound?targetStreamPath=${TARGET}`, 'x', 409, 'stream exist'],
      [`${PATH}?type=4096`, 'x', 400, 'type must be <= 4095'],
      [`${PATH}?type=-1`, 'x', 400, 'type must be >= 0'],
      [`${PATH}?format=xml`, 'x', 400, 'format must be string or json or base64'],
      [`${PATH}?format=json`, '{', 400, 'must be JSON'],
      [`${PATH}?targetStreamPath=a//b`, 'x', 400, 'path'],
      [PATH, '', 400, 'body'],
      [PATH, undefined, 400, 'body'],
    ] as const) {
      const answer = await post(host.http.origin, target, data)
      expect([target, answer.status]).to.eql([target, status])
      expect(answer.body.message, target).to.contain(says)
    }
    expect(host.streams.list().map(({ path }) => path)).to.have.members([PATH, TARGET, 'live/sound', 'live/vp8'])
    expect(host.streams.subscribers()).to.have.length(1)
  })
})

describe('sei on a server', () => {
  type Server = TestServer<unknown>

  async function start(config: Record<string, unknown> = {}): Promise<Server> {
    const server = await createTestServer(sei, { config: { subscribe: { waittimeout: '60s' }, ...config } })
    keep({ close: () => server.stop() })
    return server
  }

  async function publish(
    { streams }: Server,
    options: PublishOptions = {},
  ): Promise<{ publisher: Publisher; source: ScriptedPublisher }> {
    const publisher = await streams.publish(sessionInit(PATH), options)
    const source = new ScriptedPublisher(publisher, { bFrames: 2 })
    publisher.tracksComplete()
    source.writeFrames(5)
    return { publisher, source }
  }

  async function insert(server: Server, text: string): Promise<void> {
    expect((await post(server.origin, PATH, text)).body).to.eql({ code: 0, message: 'success' })
  }

  async function play({ streams }: Server, path = TARGET): Promise<ScriptedSubscriber> {
    return new ScriptedSubscriber(await streams.subscribe(sessionInit(path)))
  }

  const texts = (viewer: ScriptedSubscriber) => viewer.units.flatMap(textsIn)

  it('has the times of the source, each as far from the others', async () => {
    const server = await start()
    const { source } = await publish(server)
    const plain = await play(server, PATH)
    await insert(server, 'a')
    const viewer = await play(server)
    source.writeFrames(40)
    await waitFor(() => viewer.units.length === plain.units.length && plain.units.length > 60)
    const shifts = viewer.units.map((unit, index) => Math.round(msOf(unit) - msOf(plain.units[index]!)))
    expect(new Set(shifts).size).to.equal(1)
    expect(viewer.units.map(bare)).to.eql(plain.units.map(bare))
    expect(texts(viewer)).to.eql(['a'])
  })

  it('goes on with the next publisher of its source', async () => {
    const server = await start()
    const { publisher, source } = await publish(server)
    await insert(server, 'a')
    const viewer = await play(server)
    source.writeFrames(6)
    publisher.close('over')
    expect((await post(server.origin, PATH, 'x')).status).to.equal(404)
    const next = await publish(server)
    await insert(server, 'b')
    next.source.writeFrames(9)
    await waitFor(() => texts(viewer).length === 2)
    expect(texts(viewer)).to.eql(['a', 'b'])
    const pictures = viewer.units.filter(({ track }) => track.kind === 'video')
    expect(pictures).to.have.length(6 + 9)
    const times = pictures.map(msOf)
    expect(times).to.eql(times.toSorted((one, other) => one - other))
    expect(viewer.closeReason).to.equal(undefined)
    expect(server.problems).to.eql([])
  })

  it('ends with its source', async () => {
    const server = await start({ subscribe: { waittimeout: '100ms' } })
    const { publisher } = await publish(server)
    await insert(server, 'a')
    publisher.close('over')
    await waitFor(() => server.streams.get(TARGET) === undefined)
    await waitFor(() => server.streams.subscribers().length === 0)
    await publish(server)
    await insert(server, 'b')
    expect(server.streams.get(TARGET)?.type).to.equal('transform')
  })

  it('ends when nobody watches it and nothing is inserted', async () => {
    const server = await start({ stopdelay: '200ms' })
    const { source } = await publish(server)
    await insert(server, 'a')
    const subscriber = await server.streams.subscribe(sessionInit(TARGET))
    const viewer = new ScriptedSubscriber(subscriber)
    // Begun later, and watched by nobody.
    const other = `${PATH}/other`
    expect((await post(server.origin, `${PATH}?targetStreamPath=${other}`, 'x')).status).to.equal(200)
    await waitFor(() => server.streams.get(other) === undefined)
    source.writeFrames(8)
    await waitFor(() => texts(viewer).length === 1)
    subscriber.close()
    await waitFor(() => server.streams.get(TARGET) === undefined)
    expect(server.streams.subscribers(PATH)).to.eql([])
  })

  it('is for viewers of one stream when the plugin is replaced, and takes messages that wait along', async () => {
    const server = await start()
    const asked: string[] = []
    const control = { requestKeyframe: ({ codec }: Track) => void asked.push(codec) }
    const { source } = await publish(server, { control, config: { keyframeinterval: 0 } })
    await insert(server, 'a')
    const viewer = await play(server)
    source.writeFrames(7)
    await insert(server, 'waits')
    await server.replace()
    await waitFor(() => server.streams.subscribers(PATH).length === 1)
    expect(asked).to.eql(['h264'])
    source.writeFrames(30)
    await insert(server, 'b')
    source.writeFrames(33)
    await waitFor(() => texts(viewer).length === 3)
    expect(texts(viewer)).to.eql(['a', 'waits', 'b'])
    const shown = viewer.units.filter(({ track }) => track.kind === 'video').flatMap(bare)
    expect(new Set(shown).size, 'no picture comes twice').to.equal(shown.length)
    expect(viewer.closeReason).to.equal(undefined)
    expect(server.problems).to.eql([])
  })
})
