import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { logLines } from '../../core/host/testing/log-lines.ts'
import { Store } from '../../core/store/store.ts'
import { keep } from '../peers/lifetime.ts'
import { sharedPostgres } from '../peers/postgres.ts'
import { requirePeer } from '../peers/require-peer.ts'

/** Databases of one kind. */
export type Databases = {
  readonly kind: 'sqlite' | 'postgres'
  /** @returns the dsn of a new one */
  create(): Promise<string>
}

/** A suite that runs on each kind of database. */
export function describeStores(title: string, suite: (databases: Databases) => void): void {
  describe(`${title}: sqlite`, () => suite({ kind: 'sqlite', create: createFile }))
  describe(`${title}: postgres`, () => {
    before(async function () {
      requirePeer(this, 'postgresql')
      await sharedPostgres()
    })
    suite({ kind: 'postgres', create: async () => (await sharedPostgres()).createDatabase() })
  })
}

/** @returns the path of a file that is not there yet, in a folder that goes with the test */
export async function createFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-store-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  return path.join(folder, 'test.db')
}

/** A store that is closed with the test, and its log. */
export function openStore(dsn: string) {
  const { log, lines, text } = logLines()
  const store = new Store({ log, dsn, dbtype: '', datadir: '/nowhere' })
  keep({ close: () => store.close() })
  return { store, log, lines, text }
}
