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

/** The name of the instrumentation, as tracers know it. */
const SCOPE = 'sluice'

/** What a span is called, and says of its work. */
export type SpanInit = {
  readonly name: string
  /** Asked for where spans are recorded. */
  readonly attributes?: () => Attributes
  /** Whether it asks another server. */
  readonly isRequest?: boolean
}

/** What lasts until it is closed, for a reason. */
interface Closing {
  onClose(listener: (reason: CloseReason) => void): void
}

/**
 * Does some work within a span, which gets the work's span, and those below it, as its children. Where no SDK of
 * OpenTelemetry is registered, the work is all that is done, and it gets no span.
 */
export function traced<Result>(init: SpanInit, work: (span?: Span) => Promise<Result>): Promise<Result> {
  return within(init, work, (span) => span.end())
}

/** Does as {@link traced} for a session: its span lasts until it is closed, and says why. */
export function tracedSession<Session extends Closing>(init: SpanInit, open: () => Promise<Session>): Promise<Session> {
  return within(init, open, (span, session) => {
    span.addEvent('begun')
    session.onClose(({ code }) => span.setAttribute('sluice.close_reason', code).end())
  })
}

/** The headers by which another server can go on with the trace, as the propagator writes them that is registered. */
export function traceHeaders(span: Span | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (span !== undefined) propagation.inject(trace.setSpan(context.active(), span), headers)
  return headers
}

/** @param done ends the span, now or later, of work that has succeeded */
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
      // Not its message, which may quote what a client has sent.
      const type = error instanceof SluiceError ? error.code : 'INTERNAL'
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type).end()
      throw error
    }
  })
}

/** Undefined where nobody has registered one: even a span that records nothing would cost. */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(SCOPE) : provider.getTracer(SCOPE)
}
