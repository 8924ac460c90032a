import type { FastifyBaseLogger } from 'fastify'
import type { Endpoints, PluginDefinition } from 'sluice/sdk'
import { isPromiseLike } from '../../base/deadline.ts'
import type { PluginView } from '../../host/plugin-view.ts'

type Addresses = Required<Endpoints>

const NONE: Addresses = { pushAddr: [], playAddr: [], pullAddr: [], downloadAddr: [] }

/**
 * The addresses that plugins name by `endpoints`. A plugin whose `endpoints` throws has none; the others are shown all the
 * same.
 */
export class PluginAddresses {
  readonly #log: FastifyBaseLogger
  // The versions of plugins whose error was logged: operators' pages read the addresses again and again.
  readonly #faulty = new WeakSet<PluginDefinition>()

  constructor(log: FastifyBaseLogger) {
    this.#log = log
  }

  of({ name, definition, config }: PluginView): Addresses {
    if (definition?.endpoints === undefined || config === undefined) return NONE
    try {
      return checked(definition.endpoints(config.values))
    } catch (err) {
      if (!this.#faulty.has(definition))
        this.#log.error({ err, plugin: name }, `plugin '${name}' can't say its addresses`)
      this.#faulty.add(definition)
      return NONE
    }
  }
}

function checked(returned: unknown): Addresses {
  if (isPromiseLike(returned)) {
    returned.then(undefined, () => {})
    throw new TypeError('endpoints must return the addresses, not a promise of them')
  }
  if (typeof returned !== 'object' || returned === null) throw new TypeError('endpoints must return an object')
  const { pushAddr, playAddr, pullAddr, downloadAddr }: { readonly [Kind in keyof Endpoints]: unknown } = returned
  return {
    pushAddr: listOf('pushAddr', pushAddr),
    playAddr: listOf('playAddr', playAddr),
    pullAddr: listOf('pullAddr', pullAddr),
    downloadAddr: listOf('downloadAddr', downloadAddr),
  }
}

/** Returns a list of addresses; a single address becomes a list of one. */
function listOf(kind: keyof Endpoints, value: unknown = []): readonly string[] {
  const list: unknown = typeof value === 'string' ? [value] : value
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list
  throw new TypeError(`the ${kind} of endpoints must be a list of strings`)
}
