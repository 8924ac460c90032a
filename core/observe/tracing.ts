import {
  context,
  propagation,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import { SluiceError, type CloseReason } from 'sluice/sdk'

/** The name of the instrumentation in OpenTelemetry. */
const SCOPE = 'sluice'

/** The name and the attributes of a span. */
export type SpanInit = {
  readonly name: string
  /** Called when spans are recorded. */
  readonly attributes?: () => Attributes
  /** True when the work is a request to another server. Default false. */
  readonly isRequest?: boolean
}

/** An object that lasts until it is closed with a reason. */
interface Closing {
  onClose(listener: (reason: CloseReason) => void): void
}

/**
 * Runs `work` within a span, which it receives; spans of the work become children of that span. Without a registered
 * OpenTelemetry SDK, it only runs the work, without a span.
 */
export function traced<Result>(init: SpanInit, work: (span?: Span) => Promise<Result>): Promise<Result> {
  return within(init, work, (span) => span.end())
}

/** As {@link traced}, for a session: its span lasts until the session is closed, and has the reason as an attribute. */
export function tracedSession<Session extends Closing>(init: SpanInit, open: () => Promise<Session>): Promise<Session> {
  return within(init, open, (span, session) => {
    span.addEvent('begun')
    session.onClose(({ code }) => span.setAttribute('sluice.close_reason', code).end())
  })
}

/** The headers that continue the trace at another server, in the format of the registered propagator. */
export function traceHeaders(span: Span | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (span !== undefined) propagation.inject(trace.setSpan(context.active(), span), headers)
  return headers
}

/** @param done ends the span of work that has succeeded, now or later */
function within<Result>(
  { name, attributes, isRequest = false }: SpanInit,
  work: (span?: Span) => Promise<Result>,
  done: (span: Span, result: Result) => void,
): Promise<Result> {
  const tracer = registeredTracer()
  if (tracer === undefined) return work()
  const kind = isRequest ? SpanKind.CLIENT : SpanKind.INTERNAL
  return tracer.startActiveSpan(name, { kind, attributes: attributes?.() ?? {} }, async (span) => {
    try {
      const result = await work(span)
      done(span, result)
      return result
    } catch (error) {
      // The message of the error is left out, as it may quote data from a client.
      const type = error instanceof SluiceError ? error.code : 'INTERNAL'
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type).end()
      throw error
    }
  })
}

/** The registered tracer; undefined where there is none, as even a span that records nothing would cost time. */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(SCOPE) : provider.getTracer(SCOPE)
}
