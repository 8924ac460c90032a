import { definePlugin, StoreUnavailable } from 'sluice/sdk'
import { addAliasOperations } from './alias-operations.ts'
import { ALIAS_MIGRATIONS, type AliasTables } from './alias-tables.ts'
import { Aliases, type KeptAliases } from './aliases.ts'

export default definePlugin({
  name: 'alias',
  version: '1.0.0',
  sdk: '^1',
  description: 'Second names of streams, whose viewers move to another stream and stay connected',
  mounts: [],
  tables: ALIAS_MIGRATIONS,
  formerNames: { migrations: 'aliases', tables: ['sluice_alias'] },
  async setup(ctx) {
    const { log, hooks, streams, database } = ctx
    const kept = ctx.keep('aliases', (): KeptAliases => ({ byName: new Map(), isLoaded: false }))
    const aliases = new Aliases({
      log,
      kept,
      tables: ctx.store<AliasTables>(),
      streams,
      pulls: ctx.jobs.pulls,
      rules: () => ctx.global.streamalias,
    })
    addAliasOperations(ctx.operations, aliases)
    hooks.on('lead', (request) => aliases.lead(request))
    hooks.on('published', ({ path }) => aliases.published(path))
    hooks.on('unpublished', ({ path }) => aliases.unpublished(path))
    hooks.on('started', () => aliases.takeIn())
    ctx.onDrain((cause) => {
      // A plugin that is gone misses changes: when it comes back, it reads the stored aliases anew.
      if (cause === 'replaced') return
      kept.byName.clear()
      kept.isLoaded = false
    })
    ctx.onDispose(() => aliases.settled(), { withinMs: 3000 })
    ctx.onDrain(database.onAvailable(() => aliases.load()))
    // The stored aliases come first: a rule must not replace one of them.
    if (database.exists) await aliases.load().catch(ignoreAway)
  },
})

/** Ignores that there is no database yet: the aliases are loaded when it comes. */
function ignoreAway(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}
