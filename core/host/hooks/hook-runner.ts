import { AsyncSeriesBailHook, AsyncSeriesHook, SyncHook, SyncWaterfallHook } from 'tapable'
import {
  type AcceptedCodecs,
  checkStreamPath,
  type EndedTask,
  type HookRegistry,
  type Hooks,
  type Lead,
  messageOf,
  type NoticeName,
  type Resolution,
  type SessionRequest,
  SluiceError,
  StreamDenied,
  type StreamInfo,
  type Undo,
  withDeadline,
} from 'sluice/sdk'
import { isPromiseLike } from '../../base/deadline.ts'
import { failureText } from '../../auth/denial.ts'
import { isMistake, stackFrames } from '../../base/mistake.ts'
import { callPlugin } from '../error-owner.ts'
import { guard } from '../../base/guard.ts'
import { PluginError } from '../plugin-error.ts'
import { leadOf, resolutionOf } from './resolution.ts'
import { TapList, type HookOwner, type Tap } from './tap-list.ts'

/** The longest time for an admission or resolve hook; a slower one counts as a refusal. */
const HOOK_TIMEOUT_MS = 5000

/** The hooks that may refuse a session. */
export type AdmissionName = Exclude<keyof Hooks, NoticeName | 'lead' | 'resolve' | 'adapt'>

/** Collects the undos of the taps of an admission. */
type AdmissionHook = AsyncSeriesHook<[SessionRequest, Undo[]]>
/** Passes the request from tap to tap, each as the one before has led it. */
type LeadHook = SyncWaterfallHook<[SessionRequest]>
/** The first tap that returns a value decides; after undefined, the next is called. */
type ResolveHook = AsyncSeriesBailHook<[SessionRequest], Resolution | undefined>
type AdaptHook = AsyncSeriesBailHook<[StreamInfo, AcceptedCodecs], string | undefined>
/** A notice has its arguments in one array, as tapable cuts off arguments beyond those declared. */
type NoticeHook = SyncHook<[readonly unknown[]]>

/** Runs the hooks that plugins have tapped; `Hooks` documents each. */
export class HookRunner {
  readonly #timeoutMs: number
  readonly #admissions = {
    publish: this.#admissionTaps('publish'),
    subscribe: this.#admissionTaps('subscribe'),
    talk: this.#admissionTaps('talk'),
  }
  readonly #lead = this.#leadTaps()
  readonly #resolve = this.#resolveTaps()
  readonly #adapt = this.#adaptTaps()
  /** The notices that were ever tapped, by name. */
  readonly #notices = new Map<NoticeName, TapList<NoticeHook>>()

  constructor(options: { readonly timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? HOOK_TIMEOUT_MS
  }

  /** Makes the registry of an owner. It does not check notices: the generation checks that they are the plugin's own. */
  registryFor(owner: HookOwner): HookRegistry {
    return {
      on: (name, hook, order = {}) => {
        const call = (...args: readonly unknown[]): unknown =>
          callPlugin(owner.plugin, () => Reflect.apply(hook, undefined, args))
        return this.#tapsOf(name).add({ owner, order, call })
      },
      notify: (name, ...args) => this.notify(name, ...args),
    }
  }

  /** Removes all taps of an owner. */
  removeOwner(owner: HookOwner): void {
    const deciding = [...Object.values(this.#admissions), this.#lead, this.#resolve, this.#adapt]
    for (const taps of [...deciding, ...this.#notices.values()]) {
      taps.keep((tap) => tap.owner !== owner)
    }
  }

  isTapped(name: keyof Hooks): boolean {
    return !this.#tapsOf(name).isEmpty
  }

  /**
   * Calls the admission hooks in order, until one refuses. A hook that fails, by a mistake in its code or by taking too
   * long, refuses as well, which is logged as its plugin's failure.
   * @returns a function that undoes all that they have done for the session; it never throws, and does nothing the second
   * time
   * @throws {SluiceError} the error that a hook has thrown, so that a hook can refuse with another status than 401
   * @throws {StreamDenied} for every other error of a hook, with the reason, which names the plugin, as its cause
   */
  async admit(name: AdmissionName, request: SessionRequest): Promise<Undo> {
    const undos: Undo[] = []
    const undoAll = () => {
      for (const undo of undos.splice(0).toReversed()) undo()
    }
    try {
      await this.#admissions[name].hook.promise(request, undos)
    } catch (refusal) {
      undoAll()
      throw refusal
    }
    return undoAll
  }

  /**
   * Calls the lead hooks in order, each with the request as those before have led it. Returns undefined when none leads it
   * elsewhere.
   * @throws {SluiceError} when a hook refuses the request by one
   */
  lead(request: SessionRequest): Lead | undefined {
    if (this.#lead.isEmpty) return undefined
    const led = this.#lead.hook.call(request)
    return led === request ? undefined : { streamPath: led.streamPath, params: led.params }
  }

  /** Calls the resolve hooks in order, until one knows the stream. A hook that fails counts as one that does not. */
  async resolve(request: SessionRequest): Promise<Resolution> {
    return (await this.#resolve.hook.promise(request)) ?? false
  }

  /**
   * Calls the adapt hooks in order, until one returns the path of a stream that fits. A hook that fails, or returns no path,
   * counts as one that has none.
   */
  async adapt(stream: StreamInfo, accepts: AcceptedCodecs): Promise<string | undefined> {
    return await this.#adapt.hook.promise(stream, accepts)
  }

  /** Calls all taps of a notice; never throws, and waits for none. */
  notify<Name extends NoticeName>(name: Name, ...args: Parameters<Hooks[Name]>): void {
    this.#notices.get(name)?.hook.call(args)
  }

  /** Sends the notice `ended`. `ended` makes it, if a plugin taps it: viewers may leave by the thousand. */
  notifyEnded(ended: () => EndedTask): void {
    if (this.isTapped('ended')) this.notify('ended', ended())
  }

  #tapsOf(name: keyof Hooks): Pick<TapList<unknown>, 'add' | 'isEmpty'> {
    if (name === 'lead') return this.#lead
    if (name === 'resolve') return this.#resolve
    if (name === 'adapt') return this.#adapt
    if (name === 'publish' || name === 'subscribe' || name === 'talk') return this.#admissions[name]
    const known = this.#notices.get(name)
    if (known !== undefined) return known
    const taps = noticeTaps(name)
    this.#notices.set(name, taps)
    return taps
  }

  #admissionTaps(name: AdmissionName): TapList<AdmissionHook> {
    return new TapList(
      () => new AsyncSeriesHook(['request', 'undos']),
      (hook, place, tap) => hook.tapPromise(place, (request, undos) => this.#admit(name, tap, request, undos)),
    )
  }

  #leadTaps(): TapList<LeadHook> {
    return new TapList(
      () => new SyncWaterfallHook(['request']),
      (hook, place, tap) => hook.tap(place, (request) => this.#askLead(tap, request)),
    )
  }

  #resolveTaps(): TapList<ResolveHook> {
    return new TapList(
      () => new AsyncSeriesBailHook(['request']),
      (hook, place, tap) => hook.tapPromise(place, (request) => this.#ask(tap, request)),
    )
  }

  #adaptTaps(): TapList<AdaptHook> {
    return new TapList(
      () => new AsyncSeriesBailHook(['stream', 'accepts']),
      (hook, place, tap) => hook.tapPromise(place, (stream, accepts) => this.#askAdapt(tap, stream, accepts)),
    )
  }

  async #admit(name: AdmissionName, { owner, call }: Tap, request: SessionRequest, undos: Undo[]): Promise<void> {
    let answer: unknown
    try {
      answer = call(request)
      const undo = undoOf(owner, name, await this.#bounded(answer, name))
      if (undo !== undefined) undos.push(undo)
    } catch (cause) {
      // A hook that is only late may still return an undo.
      if (isPromiseLike(answer))
        answer.then(
          (late) => undoOf(owner, name, late)?.(),
          () => {},
        )
      if (isFailure(cause)) logFailure(owner, name, request, cause)
      if (isRefusalWithStatus(cause)) throw cause
      throw new StreamDenied(new PluginError(`the ${name} hook of plugin '${owner.plugin}' refused`, { cause }))
    }
  }

  #askLead({ owner, call }: Tap, request: SessionRequest): SessionRequest {
    let answer: unknown
    try {
      answer = call(request)
      const lead = leadOf(answer)
      return lead === undefined ? request : { ...request, ...lead }
    } catch (err) {
      // What it throws itself says what is wrong with the request.
      if (err instanceof SluiceError && answer === undefined) throw err
      logFailure(owner, 'lead', request, err)
      return request
    }
  }

  async #ask({ owner, call }: Tap, request: SessionRequest): Promise<Resolution | undefined> {
    try {
      return resolutionOf(await this.#bounded(call(request), 'resolve'), request.streamPath) || undefined
    } catch (err) {
      logFailure(owner, 'resolve', request, err)
      return undefined
    }
  }

  async #askAdapt({ owner, call }: Tap, stream: StreamInfo, accepts: AcceptedCodecs): Promise<string | undefined> {
    try {
      const answer = await this.#bounded(call(stream, accepts), 'adapt')
      return typeof answer === 'string' ? checkStreamPath(answer) : undefined
    } catch (err) {
      if (isFailure(err)) owner.log.error({ err, stream: stream.path }, 'adapt hook failed')
      else owner.log.warn({ stream: stream.path, reason: messageOf(err) }, 'the stream is not adapted to a player')
      return undefined
    }
  }

  #bounded<T>(result: T | Promise<T>, name: string): T | Promise<T> {
    if (!isPromiseLike(result)) return result
    const late = () => new PluginError(`the ${name} hook did not settle within ${this.#timeoutMs} ms`)
    return withDeadline(result, this.#timeoutMs, late)
  }
}

function noticeTaps(name: NoticeName): TapList<NoticeHook> {
  return new TapList(
    () => new SyncHook(['args']),
    (hook, place, { owner, call }) => hook.tap(place, (args) => guard(owner.log, `${name} hook`, () => call(...args))),
  )
}

/** The undo that an admission hook has returned, as a function that never throws; undefined when it has returned none. */
function undoOf({ plugin, log }: HookOwner, name: AdmissionName, answer: unknown): Undo | undefined {
  if (typeof answer !== 'function') return undefined
  const undo = (): unknown => Reflect.apply(answer, undefined, [])
  return () => guard(log, `undo of the ${name} hook`, () => callPlugin(plugin, undo))
}

/** True when a hook has failed, and not refused: a plugin refuses by a plain `Error`. */
function isFailure(error: unknown): boolean {
  return error instanceof PluginError || isMistake(error)
}

/** True for a refusal with its own status. `StreamDenied` is treated as a plain refusal, so that the log names its plugin. */
function isRefusalWithStatus(error: unknown): boolean {
  return error instanceof SluiceError && !(error instanceof PluginError) && !(error instanceof StreamDenied)
}

/** Logs the failure with the stack, but without the error's message, which may quote data from the client. */
function logFailure({ log }: HookOwner, name: keyof Hooks, request: SessionRequest, error: unknown): void {
  const reason = failureText(error, request)
  const stack = error instanceof Error ? stackFrames(error).join('\n') : undefined
  log.error({ stream: request.streamPath, reason, stack }, `${name} hook failed`)
}
