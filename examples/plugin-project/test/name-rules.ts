import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamDenied } from 'sluice/sdk'
import { createFakeHost, sessionInit } from 'sluice/sdk/testing'
import nameRules from '../plugins/name-rules/index.ts'

test('refuses a publisher whose path breaks the pattern, and remembers the path', async (t) => {
  const host = await createFakeHost(nameRules, { config: { pattern: '^live/[a-z]+$' } })
  t.after(() => host.dispose())

  await host.ctx.streams.publish(sessionInit('live/test'))
  await assert.rejects(host.ctx.streams.publish(sessionInit('live/Test')), StreamDenied)

  const answer = await fetch(`${host.http.origin}/name-rules/refused`)
  assert.deepEqual(await answer.json(), ['live/Test'])
})

test('lets everybody in without a pattern', async (t) => {
  const host = await createFakeHost(nameRules)
  t.after(() => host.dispose())
  await host.ctx.streams.publish(sessionInit('any/path'))
})
