import { expect } from 'chai'
import { ControlServer } from '../gates/control-server.ts'
import { waitFor } from '../peers/wait-for.ts'
import { InMemoryTracing } from '../support/in-memory-tracing.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer } from '../support/server.ts'

describe('the traces of a server', () => {
  const config = ({ url }: ControlServer) => ({
    config: JSON.stringify({
      global: { signed_policy: { enable: true, secret: 'hush', actions: ['play'] } },
      rtmp: { admission_webhook: { enable: true, url: `${url}?key=hush` } },
    }),
  })

  it('have a span for each session, its gates and the webhook, which carries the trace on, and no secrets', async () => {
    const tracing = new InMemoryTracing()
    try {
      const control = await ControlServer.start()
      const server = await startServer(config(control))
      const publisher = await RtmpClient.publish({ url: server.rtmp('live/traced?secret=hush') })
      expect(tracing.spans.map(({ name }) => name)).to.eql(['POST admission.opening', 'gate admission_webhook'])
      publisher.close()
      const [post, gate, session] = await waitFor(() => (tracing.spans.length === 3 ? tracing.spans : undefined))
      expect(session?.name).to.equal('publish')
      expect(session?.attributes).to.eql({
        'sluice.stream_path': 'live/traced',
        'sluice.protocol': 'rtmp',
        'sluice.session_type': 'server',
        'sluice.client_class': 'loopback',
        'sluice.close_reason': 'closed',
      })
      expect(gate?.parentSpanContext?.spanId).to.equal(session?.spanContext().spanId)
      expect(post?.parentSpanContext?.spanId).to.equal(gate?.spanContext().spanId)
      expect(post?.attributes).to.include({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' })
      const ids = post?.spanContext()
      expect(control.requests[0]?.headers['traceparent']).to.equal(`00-${ids?.traceId}-${ids?.spanId}-01`)
      const denied = await fetch(server.http('/flv/live/traced.flv?policy=wrong'))
      expect(denied.status).to.equal(401)
      const refused = tracing.spans.slice(3).map(({ name, attributes }) => [name, attributes['error.type']])
      expect(refused).to.eql([
        ['gate signed_policy', 'DENIED'],
        ['play', 'DENIED'],
      ])
      const shown = tracing.spans.map(({ attributes, events, status }) => ({ attributes, events, status }))
      expect(JSON.stringify(shown)).not.to.match(/hush|wrong|127\.0\.0\.1:\d/u)
    } finally {
      tracing.stop()
    }
  })

  it('are none without an SDK, of which control servers hear nothing', async () => {
    const control = await ControlServer.start()
    const server = await startServer(config(control))
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/plain') })
    expect(control.requests[0]?.headers).not.to.have.property('traceparent')
    publisher.close()
  })
})
