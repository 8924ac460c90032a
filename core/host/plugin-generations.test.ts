import { expect } from 'chai'
import type { PluginDefinition } from 'sluice/sdk'
import { DrainingGenerations } from './generation/draining-generations.ts'
import { PluginGenerations } from './plugin-generations.ts'
import { FakeParts, LISTEN } from './testing/fake-parts.ts'

const LIMITS = { setupTimeoutMs: 1000, disposeTimeoutMs: 50, drainPollMs: 5, firstRetryMs: 5 }
/** More than there are between the moment when a generation takes over and the end of its launch. */
const MICROTASKS = 12

describe('PluginGenerations', () => {
  it('disposes the newest generation, whenever that is asked for', async () => {
    for (let turns = 0; turns < MICROTASKS; turns += 1) {
      const fake = new FakeParts()
      const generations = new PluginGenerations({
        parts: fake.parts,
        limits: LIMITS,
        draining: new DrainingGenerations(() => 0),
      })
      const disposed = Promise.withResolvers<void>()
      fake.onActivate = async () => {
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
        await generations.dispose('the server stops')
        disposed.resolve()
      }
      const told: string[] = []
      const definition: PluginDefinition = {
        name: 'demo',
        version: '1',
        async setup(ctx) {
          ctx.onDispose(() => void told.push('disposed'))
          await ctx.net.tcp(LISTEN, () => {})
        },
      }
      const section = fake.parts.config.resolve(definition)
      await generations.start(definition, section, new AbortController().signal)
      await disposed.promise
      expect(told, `after ${turns} microtasks`).to.eql(['disposed'])
    }
  })
})
