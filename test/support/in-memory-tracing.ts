import { AsyncLocalStorage } from 'node:async_hooks'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  type Context,
  type ContextManager,
  type TextMapPropagator,
} from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'

/** As an SDK of OpenTelemetry would be registered, with spans that stay in memory. */
export class InMemoryTracing {
  readonly #exporter = new InMemorySpanExporter()

  constructor() {
    const spanProcessors = [new SimpleSpanProcessor(this.#exporter)]
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
    context.setGlobalContextManager(new AsyncContexts())
    propagation.setGlobalPropagator(TRACE_CONTEXT)
  }

  /** Those that have ended, in order. */
  get spans(): ReadableSpan[] {
    return this.#exporter.getFinishedSpans()
  }

  stop(): void {
    trace.disable()
    context.disable()
    propagation.disable()
  }
}

/** Keeps the context across promises. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT
  }

  with<Args extends unknown[], Result>(
    active: Context,
    work: (...args: Args) => Result,
    thisArg?: unknown,
    ...args: Args
  ): Result {
    return this.#storage.run<Result>(active, () => Reflect.apply(work, thisArg, args))
  }

  bind<Target>(_active: Context, target: Target): Target {
    return target
  }

  enable(): this {
    return this
  }

  disable(): this {
    return this
  }
}

/** `traceparent` of the W3C's Trace Context. */
const TRACE_CONTEXT: TextMapPropagator = {
  inject(active, carrier, setter) {
    const ids = trace.getSpanContext(active)
    if (ids === undefined) return
    const flags = ids.traceFlags.toString(16).padStart(2, '0')
    setter.set(carrier, 'traceparent', `00-${ids.traceId}-${ids.spanId}-${flags}`)
  },
  extract: (active) => active,
  fields: () => ['traceparent'],
}
