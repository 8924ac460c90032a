import { expect } from 'chai'
import { context, trace } from '@opentelemetry/api'
import { StreamDenied, type CloseReason } from 'sluice/sdk'
import { InMemoryTracing } from '../../test/support/in-memory-tracing.ts'
import { traced, tracedSession, traceHeaders } from './tracing.ts'

/** What can be closed, as a session. */
class Closable {
  readonly #listeners: ((reason: CloseReason) => void)[] = []

  onClose(listener: (reason: CloseReason) => void): void {
    this.#listeners.push(listener)
  }

  close(reason: CloseReason): void {
    for (const listener of this.#listeners) listener(reason)
  }
}

describe('traces', () => {
  describe('without an SDK', () => {
    it('make no span, ask for no attributes and send no headers', async () => {
      const attributes = () => expect.fail('attributes were asked for')
      const session = new Closable()
      const result = await tracedSession({ name: 'play', attributes }, async () => {
        await traced({ name: 'gate', attributes }, async (span) => {
          expect(span).to.equal(undefined)
          expect(traceHeaders(span)).to.eql({})
          expect(trace.getSpan(context.active())).to.equal(undefined)
        })
        return session
      })
      expect(result).to.equal(session)
    })

    it('add no promise of their own', () => {
      const work = Promise.resolve()
      expect(traced({ name: 'gate' }, () => work)).to.equal(work)
    })
  })

  describe('with one', () => {
    let tracing: InMemoryTracing
    beforeEach(() => {
      tracing = new InMemoryTracing()
    })
    afterEach(() => tracing.stop())

    it('last as long as their sessions, and have children for the steps of their admission', async () => {
      const session = new Closable()
      await tracedSession({ name: 'play', attributes: () => ({ a: 1 }) }, async () => {
        await traced({ name: 'gate' }, async () => {})
        return session
      })
      expect(tracing.spans.map(({ name }) => name)).to.eql(['gate'])
      session.close({ code: 'left', text: 'the client left' })
      const [gate, play] = tracing.spans
      expect(play?.name).to.equal('play')
      expect(play?.attributes).to.eql({ a: 1, 'sluice.close_reason': 'left' })
      expect(gate?.parentSpanContext?.spanId).to.equal(play?.spanContext().spanId)
      expect(gate?.spanContext().traceId).to.equal(play?.spanContext().traceId)
    })

    it('tell that a session was refused by the code of the error alone', async () => {
      const refused = tracedSession<Closable>({ name: 'publish' }, () => Promise.reject(new StreamDenied('key hush')))
      await refused.catch(() => {})
      const [span] = tracing.spans
      expect(span?.status).to.eql({ code: 2 })
      expect(span?.attributes).to.eql({ 'error.type': 'DENIED' })
      expect(span?.events).to.eql([])
    })

    it('give their headers as the registered propagator writes them', async () => {
      let headers = {}
      await traced({ name: 'POST' }, async (span) => {
        headers = traceHeaders(span)
      })
      const ids = tracing.spans[0]?.spanContext()
      expect(headers).to.eql({ traceparent: `00-${ids?.traceId}-${ids?.spanId}-01` })
    })
  })
})
