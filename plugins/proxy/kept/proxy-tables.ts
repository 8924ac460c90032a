import type { CreateTableBuilder, Kysely, Updateable } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { PullRule, PushRule } from 'sluice/sdk'
import type { ProxySettings, PullProxySettings, PushProxySettings } from './proxy-settings.ts'

/** The table of the proxies of a kind. Each method rejects with `StoreUnavailable` when there is no database. */
export interface ProxyTable<Settings> {
  all(): Promise<Settings[]>
  insert(settings: Settings): Promise<void>
  update(settings: Settings): Promise<void>
  remove(ids: readonly number[]): Promise<void>
}

type Row = {
  id: number
  created_ms: number
  updated_ms: number
  parent_id: number
  name: string
  type: string
  /** The address with its user information. */
  url: string
  /** The rest of the rule, as JSON. */
  options: string
  stream_path: string
  disabled: number
  begins_alone: number
  audio: number
  description: string
}
type PullRow = Row & {
  stops_on_idle: number
  record_path: string
  record_fragment_ms: number
  check_interval_ms: number
}
export type ProxyTables = { sluice_pull_proxy: PullRow; sluice_push_proxy: Row }

export const PROXY_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-proxies': {
    async up(db: Kysely<unknown>) {
      await withCommonColumns(db.schema.createTable('sluice_pull_proxy'))
        .addColumn('stops_on_idle', 'integer', (column) => column.notNull())
        .addColumn('record_path', 'text', (column) => column.notNull())
        .addColumn('record_fragment_ms', 'bigint', (column) => column.notNull())
        .addColumn('check_interval_ms', 'bigint', (column) => column.notNull())
        .execute()
      await withCommonColumns(db.schema.createTable('sluice_push_proxy')).execute()
    },
  },
}

function withCommonColumns(table: CreateTableBuilder<string>): CreateTableBuilder<string> {
  return table
    .addColumn('id', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_ms', 'bigint', (column) => column.notNull())
    .addColumn('parent_id', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('stream_path', 'text', (column) => column.notNull())
    .addColumn('disabled', 'integer', (column) => column.notNull())
    .addColumn('begins_alone', 'integer', (column) => column.notNull())
    .addColumn('audio', 'integer', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
}

export function pullProxyTable(db: Kysely<ProxyTables>): ProxyTable<PullProxySettings> {
  return {
    async all() {
      const rows = await db.selectFrom('sluice_pull_proxy').selectAll().orderBy('id').execute()
      return rows.map((row) => ({
        ...settingsOf(row),
        rule: { url: row.url, ...(JSON.parse(row.options) as Omit<PullRule, 'url'>) },
        stopsOnIdle: row.stops_on_idle === 1,
        recordPath: row.record_path,
        recordFragmentMs: row.record_fragment_ms,
        checkIntervalMs: row.check_interval_ms,
      }))
    },
    async insert(settings) {
      await db.insertInto('sluice_pull_proxy').values(pullRowOf(settings)).execute()
    },
    async update(settings) {
      const row: Updateable<PullRow> = pullRowOf(settings)
      await db.updateTable('sluice_pull_proxy').set(row).where('id', '=', settings.id).execute()
    },
    async remove(ids) {
      await db.deleteFrom('sluice_pull_proxy').where('id', 'in', ids).execute()
    },
  }
}

export function pushProxyTable(db: Kysely<ProxyTables>): ProxyTable<PushProxySettings> {
  return {
    async all() {
      const rows = await db.selectFrom('sluice_push_proxy').selectAll().orderBy('id').execute()
      return rows.map((row) => ({
        ...settingsOf(row),
        rule: { url: row.url, ...(JSON.parse(row.options) as Omit<PushRule, 'url'>) },
      }))
    },
    async insert(settings) {
      await db.insertInto('sluice_push_proxy').values(rowOf(settings)).execute()
    },
    async update(settings) {
      const row: Updateable<Row> = rowOf(settings)
      await db.updateTable('sluice_push_proxy').set(row).where('id', '=', settings.id).execute()
    },
    async remove(ids) {
      await db.deleteFrom('sluice_push_proxy').where('id', 'in', ids).execute()
    },
  }
}

function settingsOf(row: Row): ProxySettings {
  return {
    id: row.id,
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
    parentId: row.parent_id,
    name: row.name,
    type: row.type,
    streamPath: row.stream_path,
    isDisabled: row.disabled === 1,
    beginsAlone: row.begins_alone === 1,
    audio: row.audio === 1,
    description: row.description,
  }
}

function pullRowOf(settings: PullProxySettings): PullRow {
  return {
    ...rowOf(settings),
    stops_on_idle: Number(settings.stopsOnIdle),
    record_path: settings.recordPath,
    record_fragment_ms: settings.recordFragmentMs,
    check_interval_ms: settings.checkIntervalMs,
  }
}

function rowOf(settings: ProxySettings & { readonly rule: PullRule | PushRule }): Row {
  const { url, ...options } = settings.rule
  return {
    id: settings.id,
    created_ms: settings.createdMs,
    updated_ms: settings.updatedMs,
    parent_id: settings.parentId,
    name: settings.name,
    type: settings.type,
    url,
    options: JSON.stringify(options),
    stream_path: settings.streamPath,
    disabled: Number(settings.isDisabled),
    begins_alone: Number(settings.beginsAlone),
    audio: Number(settings.audio),
    description: settings.description,
  }
}
