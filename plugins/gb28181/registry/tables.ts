import type { Generated, Migration } from 'sluice/sdk'

/** Rows of devices and channels: their ids, and all else as JSON, as they are only read as a whole. */
export type DeviceRow = { readonly id: string; readonly data: string }
export type ChannelRow = {
  readonly id: string
  readonly device_id: string
  readonly channel_id: string
  readonly data: string
}

export type GroupRow = {
  readonly id: Generated<number>
  /** The group above; 0 of the root. */
  readonly pid: number
  readonly name: string
  readonly created_ms: number
  readonly updated_ms: number
}

export type GroupChannelRow = {
  readonly id: Generated<number>
  readonly group_id: number
  readonly device_id: string
  readonly channel_id: string
}

export type AlarmRow = {
  readonly id: string
  readonly device_id: string
  readonly channel_id: string
  readonly priority: number
  readonly method: number
  readonly type: number
  readonly alarm_ms: number
  readonly created_ms: number
  readonly description: string
  readonly longitude: number
  readonly latitude: number
}

export type GbTables = {
  gb28181_device: DeviceRow
  gb28181_channel: ChannelRow
  gb28181_group: GroupRow
  gb28181_group_channel: GroupChannelRow
  gb28181_alarm: AlarmRow
}

export const GB_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-devices': {
    async up(db) {
      await db.schema
        .createTable('gb28181_device')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('data', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('gb28181_channel')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('device_id', 'text', (column) => column.notNull())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('data', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('gb28181_channel_device').on('gb28181_channel').column('device_id').execute()
    },
  },
  '002-groups': {
    async up(db) {
      await db.schema
        .createTable('gb28181_group')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('pid', 'integer', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .addColumn('updated_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('gb28181_group_channel')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('group_id', 'integer', (column) => column.notNull())
        .addColumn('device_id', 'text', (column) => column.notNull())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('gb28181_group_channel_member')
        .on('gb28181_group_channel')
        .columns(['group_id', 'device_id', 'channel_id'])
        .unique()
        .execute()
    },
  },
  '003-alarms': {
    async up(db) {
      await db.schema
        .createTable('gb28181_alarm')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('device_id', 'text', (column) => column.notNull())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('priority', 'integer', (column) => column.notNull())
        .addColumn('method', 'integer', (column) => column.notNull())
        .addColumn('type', 'integer', (column) => column.notNull())
        .addColumn('alarm_ms', 'bigint', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .addColumn('description', 'text', (column) => column.notNull())
        .addColumn('longitude', 'real', (column) => column.notNull())
        .addColumn('latitude', 'real', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('gb28181_alarm_time').on('gb28181_alarm').columns(['device_id', 'alarm_ms']).execute()
    },
  },
}
