import { expect } from 'chai'
import { exactly, fields, i, list, optional, s, type Check } from './checks.ts'
import type { Answer, Ask, Refusal, Row } from './row.ts'
import type { ApiWorld } from './world.ts'

/** What came back. */
export type Walked = { readonly status: number; readonly type: string; readonly text: string }

const SUCCESS = { code: exactly(0), message: s }
const PAGE = { ...SUCCESS, total: i, pageNum: i, pageSize: i }
const PROBLEM = fields({ type: exactly('about:blank'), title: s, status: i, detail: s })
const FAILURE = fields({ code: i, message: s, details: optional(list(() => [])) })

/** Asks for an operation by one of its spellings. */
export async function askFor(world: ApiWorld, spelling: string, ask: Ask): Promise<Walked> {
  const [method = '', path = ''] = spelling.split(' ')
  const query = new URLSearchParams(Object.entries(ask.query ?? {}).map(([name, value]) => [name, String(value)]))
  const target = `${filled(path, ask.params)}?${query.toString()}`
  const leaving = new AbortController()
  const headers = ask.body === undefined ? {} : { 'content-type': 'application/json' }
  const body = ask.body === undefined ? null : JSON.stringify(ask.body)
  const response = await fetch(world.server.http(target), { method, headers, body, signal: leaving.signal })
  const type = response.headers.get('content-type') ?? ''
  const text = type.startsWith('text/event-stream') ? await firstEvent(response) : await response.text()
  leaving.abort()
  return { status: response.status, type, text }
}

/** Checks that an operation answers what its row says. */
export async function walk(world: ApiWorld, row: Row, spelling: string): Promise<void> {
  const walked = await askFor(world, spelling, (await row.ask?.(world)) ?? {})
  expect(walked.status, walked.text).to.equal(row.answer.wire === 'empty' ? 204 : 200)
  expect(problemsOf(row.answer, walked), spelling).to.eql([])
}

/** Checks that a request is refused as a row says. */
export async function walkRefusal(world: ApiWorld, refusal: Refusal, spelling: string): Promise<void> {
  const { ask, status, says = /./u } = refusal
  const walked = await askFor(world, spelling, typeof ask === 'function' ? await ask(world) : ask)
  expect(walked.status, walked.text).to.equal(status)
  const body: unknown = JSON.parse(walked.text)
  if ('isProblem' in refusal) {
    expect(walked.type).to.match(/^application\/problem\+json/u)
    expect(PROBLEM(body, 'the problem'), walked.text).to.eql([])
    return
  }
  const { code } = refusal
  // In the body of a success, an error has all that the success would have.
  expect(code === 0 || status === 200 ? [] : FAILURE(body, 'the error')).to.eql([])
  expect(body, spelling).to.include({ code })
  expect((body as { readonly message: string }).message).to.match(says)
}

/** Checks that nobody answers; a path may be there for another method. */
export async function walkPending(world: ApiWorld, spelling: string): Promise<void> {
  const { status, text } = await askFor(world, spelling, {})
  const found = [status, (JSON.parse(text) as { readonly code: number }).code]
  const isThere = `${spelling} is there: remove \`pending\` from its row`
  expect([JSON.stringify([404, 5]), JSON.stringify([405, 12])], isThere).to.include(JSON.stringify(found))
}

function problemsOf(answer: Answer, { type, text }: Walked): readonly string[] {
  if (answer.wire === 'empty') return text === '' ? [] : [`there is a body: ${text}`]
  if (answer.wire === 'text') return answer.type.test(type) ? [] : [`it is ${type}`]
  const isEvents = answer.wire === 'events'
  const typed = type.startsWith(isEvents ? 'text/event-stream' : 'application/json') ? [] : [`it is ${type}`]
  return [...typed, ...checkOf(answer)(JSON.parse(text), 'the answer')]
}

function checkOf(answer: Exclude<Answer, { readonly wire: 'empty' | 'text' }>): Check {
  if (answer.wire === 'done') return fields(SUCCESS)
  if (answer.wire === 'data') return fields({ ...SUCCESS, data: answer.value })
  return answer.wire === 'page' ? fields({ ...PAGE, data: answer.value }) : answer.value
}

/** A path with its parameters; those that nobody told are words. */
function filled(path: string, params: Ask['params'] = {}): string {
  return path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => String(params[name] ?? 'none'))
}

/** The JSON of the first event. */
async function firstEvent({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const event = /^data: (.*)\n\n/mu.exec(text)?.[1]
    if (event !== undefined) return event
  }
  throw new Error(`there was no event in '${text}'`)
}
