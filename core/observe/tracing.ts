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

/** What lasts until it is closed. */
interface Closing {
  onClose(listener: (reason: CloseReason) => void): void
}

/**
 * Does some work within a span, which gets the work's span, and those below it, as its children. Where no SDK of
 * OpenTelemetry is registered, the work is all that is done, and it gets no span.
 */
export function traced<Result>(init: SpanInit, work: (span?: Span) => Promise<Result>): Promise<Result> {
  const tracer = registeredTracer()
  if (tracer === undefined) return work()
  return within(tracer, init, async (span) => {
    try {
      return await work(span)
    } finally {
      span.end()
    }
  })
}

/** Does as {@link traced} for a session: its span lasts until it is closed, and says why. */
export function tracedSession<Session extends Closing>(init: SpanInit, open: () => Promise<Session>): Promise<Session> {
  const tracer = registeredTracer()
  if (tracer === undefined) return open()
  return within(tracer, init, async (span) => {
    try {
      const session = await open()
      span.addEvent('begun')
      session.onClose(({ code }) => span.setAttribute('sluice.close_reason', code).end())
      return session
    } catch (error) {
      span.end()
      throw error
    }
  })
}

/** The headers by which another server can go on with the trace, as the propagator writes them that is registered. */
export function traceHeaders(span: Span | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (span !== undefined) propagation.inject(trace.setSpan(context.active(), span), headers)
  return headers
}

function within<Result>(
  tracer: Tracer,
  { name, attributes, isRequest = false }: SpanInit,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const kind = isRequest ? SpanKind.CLIENT : SpanKind.INTERNAL
  return tracer.startActiveSpan(name, { kind, attributes: attributes?.() ?? {} }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      // Not its message, which may quote what a client has sent.
      const type = error instanceof SluiceError ? error.code : 'INTERNAL'
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type)
      throw error
    }
  })
}

/** Undefined where nobody has registered one: even a span that records nothing would cost. */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(SCOPE) : provider.getTracer(SCOPE)
}
