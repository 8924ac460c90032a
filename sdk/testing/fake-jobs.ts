import { isDeepStrictEqual } from 'node:util'
import type { JobProgress } from '../jobs/job-progress.ts'
import { JobSteps } from '../jobs/job-steps.ts'
import { Job, jobNotices, type JobInit } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import type { PullJobs, PullSource, PullWish, RunningPull } from '../jobs/pull-jobs.ts'
import { PushExists } from '../jobs/push-exists.ts'
import type { PushJobs, PushWish, RunningPush } from '../jobs/push-jobs.ts'
import type { HookOrder } from '../plugin/hooks.ts'
import type { TaskRegistry } from '../plugin/tasks.ts'
import type { FakeHooks } from './fake-hooks.ts'

/** Counts nothing. */
const NO_METER = { add: () => {} }

/** A pull or push of {@link FakeJobs}, which a test moves on by hand. */
type Running = { retries: number; stopReason: string | undefined; progress: JobProgress }

/** A job that has just begun. */
const BEGUN: JobProgress = {
  id: 1,
  state: 'connecting',
  startTime: new Date(0),
  tries: 1,
  lastError: '',
  movedBytes: 0,
  bitrate: 0,
}

/** The beginning of a {@link FakePull} or {@link FakePush}. */
class Beginning {
  readonly #begun = Promise.withResolvers<void>()

  constructor() {
    this.#begun.promise.catch(() => {})
  }

  get begun(): Promise<void> {
    return this.#begun.promise
  }

  /** Resolves `begun`, as when media flows for the first time. */
  begin(): void {
    this.#begun.resolve()
  }

  /** Rejects `begun`, as when it has ended without media. Nothing happens once it was resolved. */
  fail(message: string): void {
    this.#begun.reject(new Error(message))
  }
}

/** A pull that a plugin wanted. Nothing is fetched: the test sets whether it publishes. */
export class FakePull extends Beginning implements RunningPull, Running {
  readonly steps = new JobSteps()
  wish: PullWish
  progress = BEGUN
  isPublishing = false
  retries = 0
  stopReason: string | undefined

  constructor(wish: PullWish) {
    super()
    this.wish = wish
  }

  get origin(): string {
    return this.wish.origin ?? 'plugin'
  }

  get ending(): boolean {
    return this.stopReason !== undefined
  }

  stop(reason: string): void {
    this.stopReason ??= reason
    this.fail(reason)
  }

  retryNow(): void {
    this.retries += 1
  }
}

/** A push that a plugin wanted. Nothing is sent: the test sets its state. */
export class FakePush extends Beginning implements RunningPush, Running {
  readonly wish: PushWish
  progress = BEGUN
  state: RunningPush['state'] = 'connecting'
  retries = 0
  stopReason: string | undefined

  constructor(wish: PushWish) {
    super()
    this.wish = wish
  }

  get origin(): string {
    return this.wish.origin ?? 'plugin'
  }

  stop(reason: string): void {
    this.stopReason ??= reason
    this.state = undefined
    this.fail(reason)
  }

  retryNow(): void {
    this.retries += 1
  }
}

/** The pulls of {@link FakeJobs}. */
export class FakePulls implements PullJobs {
  /** All that were started, in order. */
  readonly all: FakePull[] = []
  /** The plugins by which there are pulls, by the scheme of their addresses. */
  readonly protocols = new Map<string, string>()
  readonly #failureListeners = new Set<(streamPath: string) => void>()
  #sources: readonly { readonly source: PullSource; readonly stage: number }[] = []

  addSource(source: PullSource, { stage = 0 }: Pick<HookOrder, 'stage'> = {}): () => void {
    const added = { source, stage }
    this.#sources = [...this.#sources, added].toSorted((one, other) => one.stage - other.stage)
    return () => {
      if (!this.#sources.includes(added)) return
      this.#sources = this.#sources.filter((other) => other !== added)
      for (const pull of this.all.filter(({ ending }) => !ending)) this.#renew(pull)
    }
  }

  /** The sources, in the order in which they are asked. */
  get sources(): readonly PullSource[] {
    return this.#sources.map(({ source }) => source)
  }

  onFailure(listener: (streamPath: string) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** A try of a pull has failed. */
  fail(streamPath: string): void {
    for (const listener of this.#failureListeners) listener(streamPath)
  }

  list(): readonly FakePull[] {
    return this.all.filter(({ ending }) => !ending)
  }

  get(streamPath: string): FakePull | undefined {
    return this.all.findLast(({ wish, ending }) => wish.streamPath === streamPath && !ending)
  }

  demand(streamPath: string, args: Readonly<Record<string, string>>): boolean {
    if (this.get(streamPath) !== undefined) return true
    const wish = this.#match(streamPath)
    if (wish) this.start({ ...wish, args })
    return Boolean(wish)
  }

  start(wish: PullWish): FakePull {
    this.get(wish.streamPath)?.stop('another pull takes the path')
    const pull = new FakePull(wish)
    this.all.push(pull)
    return pull
  }

  restart(streamPath: string): void {
    const pull = this.get(streamPath)
    if (pull === undefined) return
    const wish = this.#match(streamPath)
    if (wish === undefined) pull.stop('its rule is gone')
    else if (wish) this.start({ ...wish, args: pull.wish.args })
  }

  adapt(wish: PullWish): void {
    const pull = this.get(wish.streamPath)
    if (pull !== undefined) pull.wish = { ...pull.wish, publish: wish.publish, isLasting: wish.isLasting ?? false }
  }

  canPull(protocol: string): boolean {
    return [...this.protocols.values()].includes(protocol)
  }

  protocolOf(url: string): string | undefined {
    return this.protocols.get(URL.parse(url)?.protocol.slice(0, -1) ?? '')
  }

  #match(streamPath: string): PullWish | null | undefined {
    return this.sources.map((source) => source.match(streamPath)).find((wish) => wish !== undefined)
  }

  #renew({ wish: { plugin, streamPath, rule, publish } }: FakePull): void {
    const wish = this.#match(streamPath)
    const isSame = wish && isDeepStrictEqual([wish.plugin, wish.rule, wish.publish], [plugin, rule, publish])
    if (wish !== null && !isSame) this.restart(streamPath)
  }
}

/** The pushes of {@link FakeJobs}. */
export class FakePushes implements PushJobs {
  /** All that were started, in order. */
  readonly all: FakePush[] = []
  /** The plugins by which there are pushes, by the scheme of their addresses. */
  readonly protocols = new Map<string, string>()
  readonly #failureListeners = new Set<(wish: PushWish) => void>()

  onFailure(listener: (wish: PushWish) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** A try of a push has failed. */
  fail(wish: PushWish): void {
    for (const listener of this.#failureListeners) listener(wish)
  }

  list(): readonly FakePush[] {
    return this.all.filter(({ stopReason }) => stopReason === undefined)
  }

  find({ streamPath, rule }: Pick<PushWish, 'streamPath' | 'rule'>): FakePush | undefined {
    return this.all.find(({ wish, stopReason }) => {
      return stopReason === undefined && wish.streamPath === streamPath && wish.rule.url === rule.url
    })
  }

  start(wish: PushWish): FakePush {
    if (this.find(wish) !== undefined) throw new PushExists()
    const push = new FakePush(wish)
    this.all.push(push)
    return push
  }

  canPush(protocol: string): boolean {
    return [...this.protocols.values()].includes(protocol)
  }

  protocolOf(url: string): string | undefined {
    return this.protocols.get(URL.parse(url)?.protocol.slice(0, -1) ?? '')
  }
}

/** Jobs that really run, and pulls and pushes that a test can look at. */
export class FakeJobs implements JobRunner {
  readonly pulls = new FakePulls()
  readonly pushes = new FakePushes()
  readonly #tasks: TaskRegistry
  readonly #hooks: FakeHooks
  readonly #assertLoaded: () => void

  /** @param assertLoaded throws when the generation has ended */
  constructor(tasks: TaskRegistry, hooks: FakeHooks, assertLoaded: () => void) {
    this.#tasks = tasks
    this.#hooks = hooks
    this.#assertLoaded = assertLoaded
  }

  start(init: JobInit): Job {
    this.#assertLoaded()
    const notices = jobNotices({ notify: (name, ...args) => void this.#hooks.notify(name, ...args) })
    const meter = { tries: NO_METER, failures: NO_METER, in: () => NO_METER }
    return new Job({ ...init, tasks: this.#tasks, meter, notices })
  }
}
