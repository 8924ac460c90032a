import { createHmac, randomUUID } from 'node:crypto'
import { StreamDenied, type AdmissionWebhookConfig, type SessionRequest } from 'sluice/sdk'
import type { WebhookAnswer, WebhookClient } from 'sluice/sdk/http'
import type { Attributes } from '@opentelemetry/api'
import type { Logger } from 'pino'
import { parseAdmissionAnswer, type AdmissionAnswer } from './admission-answer.ts'
import { traced, traceHeaders } from '../observe/tracing.ts'
import { failureText } from './denial.ts'
import { GateMeters, type Delivered } from './gate-meters.ts'
import type { Admission, Gate, GateOwner } from './gate.ts'

type AdmissionGateOptions = {
  readonly config: Readonly<AdmissionWebhookConfig>
  /** The config when a session ends, which may have changed since it began. */
  readonly configAtEnd: () => Readonly<AdmissionWebhookConfig>
  readonly openings: WebhookClient
  /** A second client, so that many ends at once don't hold up new sessions. */
  readonly closings: WebhookClient
  /** Keeps a notice that is under way, so that the server's stop can wait for it. */
  readonly track: (notice: Promise<void>) => void
  readonly meters?: GateMeters
}

type Outcome = Delivered['outcome']

type Delivery = {
  readonly config: Readonly<AdmissionWebhookConfig>
  readonly event: 'opening' | 'closing'
  readonly request: SessionRequest
  readonly deliveryId: string
  /** The delivery that opened the session, the only name of it that control servers have seen; null at an opening. */
  readonly sessionId: string | null
}

/** Gate 3: asks a control server, which may rewrite the path (spec.md, Admission webhook config, Events). */
export class AdmissionGate implements Gate {
  readonly name = 'admission_webhook'
  readonly #options: AdmissionGateOptions
  readonly #meters: GateMeters

  constructor(options: AdmissionGateOptions) {
    this.#options = options
    this.#meters = options.meters ?? new GateMeters()
  }

  async check(request: SessionRequest, { log, closingNotice }: GateOwner): Promise<Admission | undefined> {
    const { config } = this.#options
    const deliveryId = randomUUID()
    const startMs = performance.now()
    const delivered = (outcome: Outcome) => this.#meters.delivered({ event: 'opening', outcome }, startMs)
    let admission: Admission = {}
    try {
      const answer = await this.#ask(request, deliveryId)
      delivered(answer.allowed ? 'allowed' : 'denied')
      if (!answer.allowed) throw new StreamDenied(`the control server refused: ${answer.reason ?? 'no reason given'}`)
      if (answer.lifetimeMs !== undefined) logLifetime(log, request, answer.lifetimeMs)
      admission = {
        ...(answer.streamPath === undefined ? {} : { streamPath: answer.streamPath }),
        ...(answer.lifetimeMs === undefined ? {} : { lifetimeMs: answer.lifetimeMs }),
      }
    } catch (error) {
      if (error instanceof StreamDenied) throw error
      delivered('failed')
      const cause = new Error('the control server failed', { cause: error })
      if (config.fail_policy === 'closed') throw new StreamDenied(cause)
      const reason = failureText(cause, request)
      log.warn({ stream: request.streamPath, reason }, 'admitted without an answer, as fail_policy is open')
    }
    return closingNotice ? { ...admission, onEnd: () => this.#ended(request, deliveryId, log) } : admission
  }

  async #ask(request: SessionRequest, deliveryId: string): Promise<AdmissionAnswer> {
    const { openings, config } = this.#options
    const delivery: Delivery = { config, event: 'opening', request, deliveryId, sessionId: null }
    const span = { name: 'POST admission.opening', isRequest: true, attributes: () => requestAttributes(config.url) }
    const { status, body } = await traced(span, async (ofRequest) => {
      const answer = await this.#post(openings, delivery, traceHeaders(ofRequest))
      ofRequest?.setAttribute('http.response.status_code', answer.status)
      return answer
    })
    if (status < 200 || status > 299) throw new Error(`it answered with status ${status}`)
    return parseAdmissionAnswer(body)
  }

  #ended(request: SessionRequest, sessionId: string, log: Logger): void {
    const config = this.#options.configAtEnd()
    if (!config.enable || config.url === '' || !config.notify_closing) return
    const delivery = { config, event: 'closing', request, deliveryId: randomUUID(), sessionId } as const
    this.#options.track(this.#notify(delivery, log))
  }

  async #notify(delivery: Delivery, log: Logger): Promise<void> {
    const { request } = delivery
    const startMs = performance.now()
    const delivered = (outcome: Outcome) => this.#meters.delivered({ event: 'closing', outcome }, startMs)
    try {
      await this.#post(this.#options.closings, delivery)
      delivered('told')
    } catch (error) {
      delivered('failed')
      const reason = failureText(error, request)
      log.warn({ stream: request.streamPath, reason }, 'the control server was not told of the end')
    }
  }

  #post(
    client: WebhookClient,
    delivery: Delivery,
    trace: Readonly<Record<string, string>> = {},
  ): Promise<WebhookAnswer> {
    const { config, event, request, deliveryId, sessionId } = delivery
    const { ip, port, userAgent } = request.client
    const body = JSON.stringify({
      action: request.action,
      protocol: request.protocol,
      status: event,
      stream_path: request.streamPath,
      url: request.url,
      client: { ip, port, user_agent: userAgent },
      query: request.params,
      session_id: sessionId,
      time: new Date().toISOString(),
    })
    const headers = {
      ...trace,
      'X-Service-Event': `admission.${event}`,
      'X-Service-Delivery': deliveryId,
      ...(config.secret === '' ? {} : { 'X-Service-Signature': signature(config.secret, body) }),
    }
    return client.send({ url: config.url, method: 'POST', body, headers, timeoutMs: config.timeout_ms })
  }
}

/** The attributes of a span, without user information and query, which may have secrets in them. */
function requestAttributes(url: string): Attributes {
  const { hostname, port, protocol } = new URL(url)
  const scheme = protocol.replace(':', '')
  return {
    'http.request.method': 'POST',
    'url.scheme': scheme,
    'server.address': hostname,
    'server.port': Number(port),
  }
}

function logLifetime(log: Logger, { streamPath, action, client }: SessionRequest, lifetimeMs: number): void {
  const { ip, port } = client
  log.info({ stream: streamPath, action, ip, port, lifetimeMs }, 'admitted with a lifetime, which is not enforced')
}

function signature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
