import type { Row } from '../row.ts'
import { CONFIG_ROWS, NATIVE_CONFIG_ROWS } from './config.ts'
import { GB_CHANNEL_ROWS, GB_DEVICE_ROWS, GB_GROUP_ROWS } from './gb28181.ts'
import { GB_CONTROL_ROWS } from './gb28181-control.ts'
import { GB_MEDIA_ROWS } from './gb28181-media.ts'
import { LOGIN_ROWS } from './login.ts'
import { NATIVE_ROWS } from './native.ts'
import { PICTURE_ROWS } from './pictures.ts'
import { PLAN_ROWS } from './plans.ts'
import { PLUGIN_ROWS } from './plugins.ts'
import { PROXY_ROWS } from './proxies.ts'
import { ALARM_ROWS, RECORD_ROWS, RECORDER_ROWS } from './records.ts'
import { ALIAS_ROWS, STREAM_ROWS, SUBSCRIBER_ROWS } from './streams.ts'
import { SYSTEM_ROWS } from './system.ts'
import { TASK_ROWS } from './tasks.ts'

/** The operations of api.md, by what they are about. */
export const API_ROWS: Readonly<Record<string, readonly Row[]>> = {
  login: LOGIN_ROWS,
  system: SYSTEM_ROWS,
  streams: STREAM_ROWS,
  subscribers: SUBSCRIBER_ROWS,
  aliases: ALIAS_ROWS,
  'proxies and pulls': PROXY_ROWS,
  tasks: TASK_ROWS,
  config: CONFIG_ROWS,
  'config, as 6.x has it': NATIVE_CONFIG_ROWS,
  recordings: RECORD_ROWS,
  'recordings, by plugin': RECORDER_ROWS,
  'scheduled plans': PLAN_ROWS,
  pictures: PICTURE_ROWS,
  alarms: ALARM_ROWS,
  'streams, as 6.x has them': NATIVE_ROWS,
  'of plugins': PLUGIN_ROWS,
  'devices of GB/T 28181': GB_DEVICE_ROWS,
  'their channels': GB_CHANNEL_ROWS,
  'their groups': GB_GROUP_ROWS,
  'their cameras': GB_CONTROL_ROWS,
  'their media and alarms': GB_MEDIA_ROWS,
}
