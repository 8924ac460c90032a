import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely'
import { sql } from 'kysely'
import type { RecordedFilter } from 'sluice/sdk'
import type { RecordingTables } from './recording-tables.ts'

type Listed = 'sluice_recording' | 'sluice_recording_event'
type Condition = ExpressionWrapper<RecordingTables, Listed, SqlBool>

/** Returns the conditions of a filter for rows of files or events. Files with ids in `growing` are being written and have no end yet. */
export function conditionsOf(
  builder: ExpressionBuilder<RecordingTables, Listed>,
  filter: RecordedFilter,
  growing: readonly number[] = [],
): Condition[] {
  const { type, streamPath, startMs, endMs, eventLevel, ids } = filter
  const isAfter = (ms: number) => {
    const ended = builder('end_ms', '>=', ms)
    return growing.length === 0 ? ended : builder.or([ended, builder('id', 'in', growing)])
  }
  return [
    ...(type === undefined ? [] : [builder('type', '=', type)]),
    ...(streamPath === undefined ? [] : [pathCondition(builder, 'stream_path', streamPath)]),
    ...(startMs === undefined ? [] : [isAfter(startMs)]),
    ...(endMs === undefined ? [] : [builder('start_ms', '<=', endMs)]),
    ...(eventLevel === undefined ? [] : [builder('event_level', '=', eventLevel)]),
    ...(ids === undefined ? [] : [ids.length === 0 ? builder.lit(false) : builder('id', 'in', ids)]),
  ] as Condition[]
}

/** Returns the condition that a column equals a text, in which each `*` stands for any text. */
export function pathCondition<Table extends keyof RecordingTables>(
  builder: ExpressionBuilder<RecordingTables, Table>,
  column: 'stream_path' | 'name',
  text: string,
) {
  const reference = sql.ref<string>(column)
  if (!text.includes('*')) return builder(reference, '=', text)
  const pattern = text.replaceAll(/[\\%_]/gu, String.raw`\$&`).replaceAll('*', '%')
  return sql<SqlBool>`${reference} like ${pattern} escape '\\'`
}
