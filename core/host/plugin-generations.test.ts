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

  it('has each notice heard by one generation, however soon after the takeover it is told', async () => {
    const fake = new FakeParts()
    const generations = new PluginGenerations({
      parts: fake.parts,
      limits: LIMITS,
      draining: new DrainingGenerations(() => 0),
    })
    const heard: string[] = []
    const definition: PluginDefinition = {
      name: 'demo',
      version: '1',
      async setup(ctx) {
        ctx.hooks.on('alarm', ({ name }) => void heard.push(name))
        await ctx.net.tcp(LISTEN, () => {})
      },
    }
    const section = fake.parts.config.resolve(definition)
    const { signal } = new AbortController()
    const first = await generations.start(definition, section, signal)
    const told = Array.from({ length: MICROTASKS }, (_, turn) => `after ${turn}`)
    const { promise, resolve } = Promise.withResolvers<void>()
    fake.onActivate = async () => {
      for (const name of told) {
        fake.hooks.notify('alarm', { name, description: '', plugin: 'demo' })
        await Promise.resolve()
      }
      resolve()
    }
    await generations.replace(first, { definition, section, reason: 'edited' }, signal)
    await promise
    // Both listen in the turn of the takeover itself, in which the port says so.
    expect(heard.slice(-told.length + 1)).to.eql(told.slice(1))
    await generations.dispose('the test is over')
  })
})
