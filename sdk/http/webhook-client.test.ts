import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { ControlServer, type ControlReply } from '../../test/gates/control-server.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { WebhookClient, MAX_ANSWER_BYTES, MAX_CONCURRENT_REQUESTS } from './webhook-client.ts'

describe('webhook client', () => {
  let client: WebhookClient
  beforeEach(() => {
    client = new WebhookClient()
  })
  afterEach(() => client.close())

  const post = (url: string, timeoutMs = 5000, body = '{}') =>
    client.send({ url, method: 'POST', body, headers: {}, timeoutMs })
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => (error instanceof Error ? error.message : 'no Error'),
    )

  it('posts JSON, and gives status and body', async () => {
    const control = await ControlServer.start(() => ({ status: 403, body: '{"é":1}' }))
    const url = `${control.url}?of=1`
    const headers = { 'X-Service-Event': 'admission.opening' }
    const answer = await client.send({ url, method: 'POST', body: '{"name":"späť"}', headers, timeoutMs: 5000 })
    expect(answer).to.eql({ status: 403, body: '{"é":1}' })
    const [request] = control.requests
    expect(request).to.deep.include({ method: 'POST', path: '/admission?of=1', body: '{"name":"späť"}' })
    expect(request?.headers).to.deep.include({
      'content-type': 'application/json',
      'content-length': '17',
      'x-service-event': 'admission.opening',
    })
  })

  it('keeps its connection', async () => {
    const control = await ControlServer.start()
    for (let count = 0; count < 5; count++) await post(control.url)
    expect(control.requests).to.have.length(5)
    expect(control.connectionCount).to.equal(1)
  })

  it('does not follow redirects', async () => {
    const control = await ControlServer.start()
    control.rule = () => ({ status: 307, headers: { location: control.url } })
    expect((await post(control.url)).status).to.equal(307)
    expect(control.requests).to.have.length(1)
  })

  it('gives up at its deadline, and does not ask again', async () => {
    const control = await ControlServer.start(() => 'never')
    const startMs = performance.now()
    expect(await failure(post(control.url, 100))).to.equal('no answer in 100 ms')
    expect(performance.now() - startMs).to.be.at.least(95)
    await waitFor(() => control.openConnections === 0, { what: 'the connection to be closed' })
    expect(control.requests).to.have.length(1)
  })

  it('gives up on an answer that does not end', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"allowed":')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await failure(post(`http://127.0.0.1:${port}/`, 100))).to.equal('no answer in 100 ms')
    server.close()
  })

  it('reads an answer up to its limit, and no more', async () => {
    const control = await ControlServer.start(({ body }) => ({ body: 'x'.repeat(Number(body)) }))
    const largest = await post(control.url, 5000, String(MAX_ANSWER_BYTES))
    expect(largest.body).to.have.length(MAX_ANSWER_BYTES)
    expect(await failure(post(control.url, 5000, String(MAX_ANSWER_BYTES + 1)))).to.equal(
      `the answer is larger than ${MAX_ANSWER_BYTES} bytes`,
    )
  })

  it('fails where nobody listens, and where the connection is cut', async () => {
    const control = await ControlServer.start(() => 'cut')
    expect(await failure(post(control.url))).to.match(/socket hang up|ECONNRESET/u)
    const { url } = control
    await control.close()
    expect(await failure(post(url))).to.match(/ECONNREFUSED/u)
    expect(await failure(post('http://['))).to.equal('Invalid URL')
  })

  it('asks no more than its limit at once, in order, and loses none', async () => {
    const open = new Set<PromiseWithResolvers<ControlReply>>()
    const control = await ControlServer.start(() => {
      const answer = Promise.withResolvers<ControlReply>()
      open.add(answer)
      return answer.promise
    })
    const count = MAX_CONCURRENT_REQUESTS + 50
    const answers = Array.from({ length: count }, () => post(control.url, 15_000))
    await waitFor(() => open.size === MAX_CONCURRENT_REQUESTS, { what: 'the first requests' })
    expect(control.openConnections).to.equal(MAX_CONCURRENT_REQUESTS)
    control.rule = () => ({})
    for (const answer of open) answer.resolve({})
    const statuses = await Promise.all(answers)
    expect(statuses.every(({ status }) => status === 200)).to.equal(true)
    expect(control.requests).to.have.length(count)
  })

  it('counts the time that a request waits for others, and never sends one that is too late', async () => {
    const control = await ControlServer.start(() => 'never')
    const first = Array.from({ length: MAX_CONCURRENT_REQUESTS }, () => failure(post(control.url, 1000)))
    const late = await failure(post(control.url, 50))
    expect(late).to.equal('no answer in 50 ms')
    await Promise.all(first)
    await waitFor(() => control.openConnections === 0, { what: 'the connections to be closed' })
    expect(control.requests.length).to.be.at.most(MAX_CONCURRENT_REQUESTS)
    control.rule = () => ({})
    expect((await post(control.url)).status).to.equal(200)
  })

  it('ends what is under way when it is closed, and takes nothing more', async () => {
    const control = await ControlServer.start(() => 'never')
    const pending = failure(post(control.url))
    await waitFor(() => control.requests.length === 1)
    client.close()
    expect(await pending).to.equal('the server is stopping')
    expect(await failure(post(control.url))).to.equal('the server is stopping')
    await waitFor(() => control.openConnections === 0)
  })
})
