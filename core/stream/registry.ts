import {
  checkStreamPath,
  StreamExists,
  StreamNotFound,
  StreamUnavailable,
  type CloseReason,
  type PublishOptions,
  type SessionAction,
  type SessionInit,
  type Talk,
  type TrackInit,
} from 'sluice/sdk'
import type { Logger } from 'pino'
import { ProcessIds } from '../base/process-ids.ts'
import { applyPublishOverrides, applySubscribeOverrides } from './session-overrides.ts'
import { Fitting, type FittingHooks } from './fitting.ts'
import { MergeWindow } from './fan-out/merge-window.ts'
import {
  SessionAdmission,
  type AdmissionGates,
  type AdmissionHooks,
  type AdmittedSession,
} from './session-admission.ts'
import { SessionLife } from './session-life.ts'
import { SessionMeters } from './session-meters.ts'
import type { Stream } from './stream.ts'
import type { StreamOwner } from '../auth/stream-owner.ts'
import { StreamFinder } from './stream-finder.ts'
import { StreamIndex } from './stream-index.ts'
import { StreamPublisher } from './stream-publisher.ts'
import { StreamPulse } from './stream-pulse.ts'
import { StreamSubscriber } from './stream-subscriber.ts'
import { openTalk } from './talk-session.ts'
import { StreamTable } from './stream-table.ts'
import { StreamlessPlay } from './streamless-play.ts'

type RegistryOptions = {
  readonly log: Logger
  /** Gives the sessions their ids. */
  readonly ids?: ProcessIds
  /** The id of the node that stands for all streams in the task tree; 0 unless given. */
  readonly nodeId?: number
  readonly hooks: AdmissionHooks & FittingHooks
  readonly gatekeeper: AdmissionGates
  readonly meters?: SessionMeters
}

/** All streams of this process, by path; publishers, subscribers and talks are admitted here. */
export class StreamRegistry {
  readonly mergeWindow = new MergeWindow()
  readonly meters: SessionMeters
  /** The id of the node of all streams in the task tree. */
  readonly nodeId: number
  /** The present streams and subscribers, to be listed and counted. */
  readonly index = new StreamIndex<Stream>()
  readonly #admission: SessionAdmission
  readonly #hooks: AdmissionHooks
  readonly #streams: StreamTable
  readonly #fitting: Fitting
  readonly #finder: StreamFinder
  readonly #pulse: StreamPulse
  readonly #ids: ProcessIds
  #closed = false

  constructor(options: RegistryOptions) {
    const { log, hooks, nodeId = 0, meters = new SessionMeters() } = options
    this.meters = meters
    this.nodeId = nodeId
    this.#fitting = new Fitting({ hooks, streams: this })
    const { mergeWindow, index } = this
    this.#streams = new StreamTable({ log, hooks: this.#fitting.hooks, mergeWindow, index, nodeId })
    this.#finder = new StreamFinder(this.#streams, this.#fitting)
    this.#hooks = hooks
    this.#ids = options.ids ?? new ProcessIds(0)
    this.#admission = new SessionAdmission(options.gatekeeper, hooks, meters)
    this.#pulse = new StreamPulse(() => this.#streams.all(), this.mergeWindow, meters.throughput)
  }

  /** Returns the stream of a path; undefined when it has no publisher. */
  get(path: string): Stream | undefined {
    const stream = this.#streams.get(path)
    return stream?.publisher === undefined ? undefined : stream
  }

  /** The tickets by which programs of the server play streams. */
  get tickets(): SessionAdmission['tickets'] {
    return this.#admission.tickets
  }

  /** Returns the streams that have a publisher. */
  list(): Stream[] {
    return [...this.index.published]
  }

  /** Returns the streams that subscribers wait for and that have no publisher. */
  waitedFor(): Stream[] {
    return this.#streams.all().filter(({ publisher, subscribers }) => publisher === undefined && subscribers.size > 0)
  }

  /** The number of paths that have a publisher, wait for one to come back, or have subscribers that wait. */
  get pathCount(): number {
    return this.#streams.pathCount
  }

  /** Returns the subscribers of one path, or of all, including those that wait. */
  subscribers(path?: string): StreamSubscriber[] {
    return [...(path === undefined ? this.index.subscribers.values() : (this.#streams.get(path)?.subscribers ?? []))]
  }

  subscriber(id: number): StreamSubscriber | undefined {
    return this.index.subscribers.get(id)
  }

  /** Admits a publisher; see `StreamManager.publish`. `onAdmitted` is called as soon as the session exists. */
  async publish(
    init: SessionInit,
    options: PublishOptions,
    owner: StreamOwner,
    onAdmitted: (publisher: StreamPublisher) => void,
  ): Promise<StreamPublisher> {
    const admitted = await this.#admit(options.unlisted === true ? 'test' : 'publish', init, owner)
    try {
      return this.#publish(admitted, options, owner, onAdmitted)
    } catch (error) {
      admitted.undo()
      throw error
    }
  }

  /**
   * Admits a subscriber; see `StreamManager.subscribe`. `onAdmitted` is called as soon as the session exists, before it
   * waits for the stream.
   */
  async subscribe(
    init: SessionInit,
    owner: StreamOwner,
    onAdmitted: (subscriber: StreamSubscriber) => void,
  ): Promise<StreamSubscriber> {
    const admitted = await this.#admit('play', init, owner)
    try {
      const { request: asked, ...rest } = admitted
      const config = applySubscribeOverrides(owner.config.subscribe, asked.params)
      const { streamPath, params } = this.#hooks.lead(asked) ?? asked
      const request = { ...asked, params }
      const stream = this.#finder.roomFor(streamPath, request, config)
      const session = new SessionLife({ log: owner.log, ...rest })
      const subscriber = new StreamSubscriber({ id: this.#idFor(session), request, config, stream, session })
      stream.addSubscriber(subscriber)
      onAdmitted(subscriber)
      await this.#finder.find(stream, subscriber, init.streamPath)
      return subscriber
    } catch (error) {
      admitted.undo()
      throw error
    }
  }

  /** Admits a player without a stream; see `StreamManager.admit`. `onAdmitted` is called as soon as the session exists. */
  async admitPlay(
    init: SessionInit,
    owner: StreamOwner,
    onAdmitted: (play: StreamlessPlay) => void,
  ): Promise<StreamlessPlay> {
    const { request, ...admitted } = await this.#admit('play', init, owner)
    const play = new StreamlessPlay(request.streamPath, new SessionLife({ log: owner.log, ...admitted }))
    onAdmitted(play)
    return play
  }

  /** See `StreamManager.move`. */
  move(ids: Iterable<number>, streamPath: string): void {
    const stream = this.get(checkStreamPath(streamPath))
    if (stream === undefined) throw new StreamNotFound(`nobody publishes ${streamPath}`)
    const subscribers = [...new Set(ids)].flatMap((id) => this.subscriber(id) ?? [])
    this.#fitting.move(subscribers, stream)
  }

  /** Moves subscribers to another stream at once; they wait for it where it has no publisher. */
  send(subscribers: readonly StreamSubscriber[], streamPath: string): void {
    if (subscribers.length > 0) this.#streams.at(streamPath).pendingMoves.take(subscribers)
  }

  /** See `StreamManager.send`. */
  sendAll(ids: Iterable<number>, streamPath: string): void {
    const path = checkStreamPath(streamPath)
    this.send(
      [...new Set(ids)].flatMap((id) => this.subscriber(id) ?? []),
      path,
    )
  }

  /** See `StreamManager.talk`. */
  async talk(init: SessionInit, tracks: readonly TrackInit[], owner: StreamOwner): Promise<Talk> {
    this.#checkOpen()
    return openTalk(this.#admission, (path) => this.get(path)?.publisher, { init, tracks, owner })
  }

  /** See `StreamManager.authenticate`. */
  async authenticate(init: SessionInit, owner: StreamOwner): Promise<void> {
    this.#checkOpen()
    await this.#admission.authenticate(init, owner)
    this.#checkOpen()
  }

  /** Ends all sessions and takes no new ones. */
  close(text: string): void {
    this.#closed = true
    this.#pulse.stop()
    this.#fitting.close()
    const reason: CloseReason = { code: 'unloaded', text }
    for (const stream of this.#streams.all()) stream.close(reason)
  }

  async #admit(action: SessionAction | 'test', init: SessionInit, owner: StreamOwner): Promise<AdmittedSession> {
    this.#checkOpen()
    const admitted = await this.#admission.admit(action, init, owner)
    if (this.#closed) admitted.undo()
    this.#checkOpen()
    return admitted
  }

  #publish(
    { request, ...admitted }: AdmittedSession,
    options: PublishOptions,
    owner: StreamOwner,
    onAdmitted: (publisher: StreamPublisher) => void,
  ): StreamPublisher {
    const section = { ...owner.config.publish, ...options.config }
    const config = applyPublishOverrides(section, request.params)
    if (options.unlisted !== true) this.#makeRoom(request.streamPath, config.kickexist, config.maxcount)
    const stream = options.unlisted === true ? this.#streams.unlisted() : this.#streams.at(request.streamPath)
    const session = new SessionLife({ log: owner.log, ...admitted })
    const common = { id: this.#idFor(session), request, config, options, stream, session }
    const publisher = new StreamPublisher({ ...common, startMs: stream.clock.nextStartMs })
    session.begin()
    stream.setPublisher(publisher)
    onAdmitted(publisher)
    options.observer?.published(publisher)
    return publisher
  }

  #idFor(session: SessionLife): number {
    const id = this.#ids.take()
    session.onClose(() => this.#ids.release(id))
    return id
  }

  #checkOpen(): void {
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
  }

  #makeRoom(path: string, kickExist: boolean, maxCount: number): void {
    const running = this.#streams.get(path)?.holder
    if (running !== undefined && !kickExist) throw new StreamExists()
    if (maxCount > 0) {
      const others = this.index.takenPaths - (running === undefined ? 0 : 1)
      if (others >= maxCount) throw new StreamUnavailable('publish max count exceeded')
    }
    running?.close({ code: 'kick', text: 'kick' })
  }
}
