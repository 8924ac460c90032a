import {
  StreamDenied,
  withDeadline,
  type SessionAction,
  type SessionRequest,
  type StreamAuthHandler,
  type InheritedConfig,
} from 'sluice/sdk'
import type { Logger } from 'pino'
import { isMistake, stackFrames } from '../base/mistake.ts'
import { failureText } from './denial.ts'
import type { Admission, Gate, GateOwner } from './gate.ts'
import { signatureFault } from './signature.ts'

type SignatureGateOptions = {
  readonly config: Readonly<InheritedConfig>
  readonly action: SessionAction
  /** The custom handler that holds at present; it takes the place of the signature. */
  readonly handler: () => StreamAuthHandler | undefined
  readonly nowMs: () => number
}

/** The key of a direction; empty when sessions of that direction are not checked. */
export function keyOf(config: Readonly<InheritedConfig>, action: SessionAction): string {
  return action === 'publish' ? config.publish.key : config.subscribe.key
}

/** True when sessions of a direction need a signature. */
export function checksSignature(config: Readonly<InheritedConfig>, action: SessionAction): boolean {
  return config.enableauth && keyOf(config, action) !== ''
}

/** The names of the parameters that have a signature and its expiry. */
export function signatureNames(config: Readonly<InheritedConfig>, action: SessionAction) {
  const group = action === 'publish' ? config.publish : config.subscribe
  return {
    secret: group.secretargname || config.secretargname,
    expire: group.expireargname || config.expireargname,
  }
}

/** Gate 1: the custom auth handler, or else the MD5 signature (spec.md, Built-in signature auth, Custom auth handler). */
export class SignatureGate implements Gate {
  readonly name = 'signature'
  readonly #options: SignatureGateOptions

  constructor(options: SignatureGateOptions) {
    this.#options = options
  }

  async check(request: SessionRequest, { log }: GateOwner): Promise<Admission | undefined> {
    const handler = this.#options.handler()
    if (handler === undefined) this.#checkSignature(request)
    else await this.#ask(handler, request, log)
    return undefined
  }

  #checkSignature(request: SessionRequest): void {
    const { config, action, nowMs } = this.#options
    const names = signatureNames(config, action)
    const fault = signatureFault({
      key: keyOf(config, action),
      streamPath: request.streamPath,
      secret: request.params[names.secret],
      expire: request.params[names.expire],
      nowSeconds: Math.floor(nowMs() / 1000),
    })
    if (fault !== undefined) throw new StreamDenied(`signature: ${fault}`)
  }

  async #ask(handler: StreamAuthHandler, request: SessionRequest, log: Logger): Promise<void> {
    const timeoutMs = this.#options.config.auth_timeout
    const late = () => new Error(`it did not answer in ${timeoutMs} ms`)
    try {
      const answering = call(handler, request)
      const answer = timeoutMs === 0 ? await answering : await withDeadline(answering, timeoutMs, late)
      if (answer instanceof Error) throw answer
      // An answer in another form than the contract's is a mistake, which must not let everybody in.
      if (answer !== undefined && answer !== true) throw new Error(`it returned ${described(answer)}`)
    } catch (error) {
      if (error instanceof Error && isMistake(error)) logMistake(log, request, error)
      throw new StreamDenied(new Error('the auth handler refused', { cause: error }))
    }
  }
}

/**
 * Logs the error of a handler with its stack. A handler that fails refuses, too, but its author needs the place, which a
 * refusal does not show.
 */
function logMistake(log: Logger, request: SessionRequest, error: Error): void {
  const reason = failureText(error, request)
  log.error({ stream: request.streamPath, reason, stack: stackFrames(error).join('\n') }, 'the auth handler failed')
}

/** Describes an answer that allows nothing, without its content. */
function described(answer: unknown): string {
  if (answer === false || answer === null) return String(answer)
  return `a value of type ${typeof answer}, and only true or nothing lets a session in`
}

async function call(handler: StreamAuthHandler, request: SessionRequest): Promise<unknown> {
  return handler({
    plugin_name: request.protocol,
    stream_path: request.streamPath,
    query_string: request.query,
    // The handler gets a copy, so that its changes stay its own.
    params: { ...request.params },
    is_publish: request.action === 'publish',
  })
}
