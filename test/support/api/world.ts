import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { TestCaller } from '../../../plugins/srt/fixtures/test-caller.ts'
import { PUBLISH_OFFER } from '../../../plugins/webrtc/fixtures/signalling-rig.ts'
import { makeTestFile } from '../../peers/ffmpeg.ts'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { makeFlvFile, type FlvFile } from '../flv-file.ts'
import { FlvViewer } from '../flv-viewer.ts'
import { LiveSource } from '../live-source.ts'
import { RtmpClient } from '../rtmp-client.ts'
import { startServer, type ApiAnswer, type RunningServer, type ServerLogRecord } from '../server.ts'
import { GbDevices } from './gb-devices.ts'

const CLIP_SECONDS = 2
const FILM_SECONDS = 30

type TaskNode = {
  readonly owner: string
  readonly pointer: string
  readonly description: Readonly<Record<string, string>>
  readonly children: readonly TaskNode[]
}

export type ApiWorldInit = {
  /** Text of the config file, besides what the world needs: what is beneath `global`, and other sections. */
  readonly global?: string
  readonly sections?: string
}

/** A server that has one of each: what operations list, show and change. It ends with the test that made it. */
export class ApiWorld {
  readonly server: RunningServer
  /** Is published all the time, and has a viewer. */
  readonly streamPath = 'live/walk'
  readonly viewer: FlvViewer
  readonly gb: GbDevices
  readonly #clip: FlvFile
  #made = 0

  private constructor(server: RunningServer, clip: FlvFile, viewer: FlvViewer, gb: GbDevices) {
    this.server = server
    this.#clip = clip
    this.viewer = viewer
    this.gb = gb
  }

  static async start({ global = '', sections = '' }: ApiWorldInit = {}): Promise<ApiWorld> {
    let file: FlvFile | undefined
    const prepare = async (folder: string) => {
      file = await makeFlvFile(path.join(folder, 'clip.flv'), { durationSeconds: CLIP_SECONDS })
      const video = { bFrames: 0, size: '64x64' } as const
      await makeTestFile({ url: path.join(folder, 'film.mp4'), durationSeconds: FILM_SECONDS, video })
      await writeFile(path.join(folder, 'config.yaml'), configOf(folder, global, sections))
    }
    // Nobody is to end what the other rows need.
    const lifecycle = { restart: async () => {}, shutdown: () => {} }
    const server = await startServer({ prepare, lifecycle })
    if (file === undefined) throw new Error('no clip was made')
    const { tags } = file
    await LiveSource.start({ url: server.rtmp('live/walk'), tags, loopMs: CLIP_SECONDS * 1000 })
    const viewer = new FlvViewer(server.http('/flv/live/walk.flv'))
    await viewer.received.wait(1)
    return new ApiWorld(server, file, viewer, await GbDevices.start(server))
  }

  get records(): readonly ServerLogRecord[] {
    return this.server.records
  }

  /** Publishes another stream; resolves with its path when the server has it. */
  async newStream(): Promise<string> {
    const streamPath = this.newName('live/stream')
    const publisher = await RtmpClient.publish({ url: this.server.rtmp(streamPath) })
    for (const tag of this.#clip.tags) publisher.send(tag)
    await waitFor(() => this.server.server.streams.get(streamPath)?.publisher?.tracks.length === 2)
    return streamPath
  }

  /** A file that is played for a viewer, and so can be paused and sought in. */
  async newFilm(): Promise<string> {
    const streamPath = this.newName('film/shown')
    await this.newViewer(streamPath)
    return streamPath
  }

  /** Resolves with the id of a viewer when it has got something. */
  async newViewer(streamPath = this.streamPath): Promise<number> {
    const before = new Set(this.#viewers(streamPath))
    const viewer = new FlvViewer(this.server.http(`/flv/${streamPath}.flv`))
    await viewer.received.wait(1)
    const id = this.#viewers(streamPath).find((other) => !before.has(other))
    if (id === undefined) throw new Error(`the viewer of ${streamPath} is not there`)
    return id
  }

  /** Waits for a stream that does not come. */
  async newWaiter(): Promise<string> {
    const streamPath = this.newName('live/awaited')
    const viewer = new FlvViewer(this.server.http(`/flv/${streamPath}.flv`))
    viewer.ended.catch(() => {})
    await waitFor(() => this.#viewers(streamPath).length === 1)
    return streamPath
  }

  /** Pulls the stream that is always there under another name. */
  async newPull(): Promise<string> {
    const streamPath = this.newName('pulled/stream')
    await this.post('/api/stream/pull', { remoteURL: this.server.http(`/flv/${this.streamPath}.flv`), streamPath })
    await waitFor(() => this.server.server.streams.get(streamPath)?.publisher)
    return streamPath
  }

  /** Resolves with the `pointer` of a task that may be stopped and restarted. */
  async newTask(): Promise<string> {
    const streamPath = await this.newPull()
    const { body } = await this.server.api('/api/task/tree')
    const nodesOf = (node: TaskNode): TaskNode[] => [node, ...node.children.flatMap(nodesOf)]
    const task = nodesOf(body.data as TaskNode).find(
      ({ owner, description }) => owner === streamPath && description['kind'] === 'pull',
    )
    if (task === undefined) throw new Error(`there is no task that pulls ${streamPath}`)
    return task.pointer
  }

  /** Pulls a film by RTSP, which may go faster. */
  async newRtspPull(): Promise<string> {
    const [film, streamPath] = [this.newName('film/pulled'), this.newName('pulled/film')]
    await this.post('/api/stream/pull', { remoteURL: this.server.rtsp(film), streamPath })
    await waitFor(() => this.server.server.streams.get(streamPath)?.publisher)
    return streamPath
  }

  /** Publishes by WHIP; resolves with the path of the stream. */
  async newWhip(): Promise<string> {
    const streamPath = this.newName('live/whip')
    const headers = { 'content-type': 'application/sdp' }
    const url = this.server.http(`/webrtc/whip/${streamPath}`)
    const { status } = await fetch(url, { method: 'POST', headers, body: PUBLISH_OFFER })
    if (status !== 201) throw new Error(`WHIP says ${status}`)
    return streamPath
  }

  /** Publishes by SRT; resolves with the path. */
  async newSrtPublisher(): Promise<string> {
    const streamPath = this.newName('live/srt')
    const caller = await TestCaller.call({ port: this.server.srtPort, streamId: `publish:/${streamPath}` })
    keep(caller)
    await caller.answer
    return streamPath
  }

  /** Adds a proxy that never begins; resolves with its id. */
  async newProxy(kind: 'pull' | 'push'): Promise<number> {
    const name = this.newName('proxy')
    const url = `rtmp://127.0.0.1:1/${name}`
    const fields = kind === 'pull' ? { pullURL: url } : { pushURL: url }
    await this.post(`/api/proxy/${kind}/add`, { name, streamPath: `proxied/${name}`, status: 3, ...fields })
    const { body } = await this.server.api(`/api/proxy/${kind}/list`)
    const proxies = body.data as readonly { readonly ID: number; readonly name: string }[]
    const id = proxies.find((proxy) => proxy.name === name)?.ID
    if (id === undefined) throw new Error(`there is no proxy ${name}`)
    return id
  }

  /** Records a stream; resolves with its path. */
  async newRecording(type: 'mp4' | 'flv' | 'hls'): Promise<string> {
    const streamPath = await this.newStream()
    await this.post(`/${type}/api/start/${streamPath}`, {})
    return streamPath
  }

  /** Resolves with the path of a stream that has an event. */
  async newEvent(): Promise<string> {
    const streamPath = await this.newRecording('mp4')
    await this.post('/mp4/api/event/start', { streamPath, eventName: 'motion' })
    return streamPath
  }

  /** Resolves with the id of a tag. */
  async newTag(): Promise<number> {
    const tag = { tagName: this.newName('tag'), streamPath: this.streamPath, tagTime: '2026-11-20T10:00:00Z' }
    const { body } = await this.post('/mp4/api/tag/add', tag)
    return (body.data as { readonly id: number }).id
  }

  /** Keeps a picture of the stream that is always there; resolves with its id. */
  async newPicture(): Promise<number> {
    const { body } = await this.post(`/snap/api/take/${this.streamPath}`, {})
    return (body.data as { readonly id: number }).id
  }

  /** Gives the stream that is always there another name. */
  async newAlias(): Promise<string> {
    const alias = this.newName('alias/of')
    await this.post('/api/stream/alias', { streamPath: this.streamPath, alias })
    return alias
  }

  /** Has the plan of the whole week record a stream that does not come; resolves with its path. */
  async newPlanStream(): Promise<string> {
    const streamPath = this.newName('planned/stream')
    await this.post('/planstream/api/add', { planId: 1, streamPath, enable: true })
    return streamPath
  }

  newName(prefix: string): string {
    return `${prefix}-${++this.#made}`
  }

  /** @throws {Error} when it is refused */
  async post(target: string, body: unknown): Promise<ApiAnswer> {
    const headers = { 'content-type': 'application/json' }
    const answer = await this.server.api(target, { method: 'POST', headers, body: JSON.stringify(body) })
    if (answer.body.code !== 0) throw new Error(`POST ${target}: ${answer.body.message}`)
    return answer
  }

  #viewers(streamPath: string): number[] {
    return this.server.server.streams.subscribers(streamPath).map(({ id }) => id)
  }
}

function configOf(folder: string, global: string, sections: string): string {
  return `
global:
  publish: { key: walk-publish-key }
  pull: { folders: ['${folder}'] }
${global}
mp4: { onsub: { pull: { '^film/.+$': film.mp4 } } }
gb28181: { timezone: '' }
${sections}
`
}
