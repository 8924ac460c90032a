import type { Command } from './command.ts'
import { ALARM_COMMANDS } from './commands/alarm-commands.ts'
import { ALIAS_COMMANDS } from './commands/alias-commands.ts'
import { CONFIG_COMMANDS } from './commands/config-commands.ts'
import { GB_COMMANDS } from './commands/gb-commands.ts'
import { LOGIN_COMMANDS } from './commands/login-commands.ts'
import { PICTURE_COMMANDS } from './commands/picture-commands.ts'
import { PLAN_COMMANDS } from './commands/plan-commands.ts'
import { PROXY_COMMANDS } from './commands/proxy-commands.ts'
import { RECORDING_COMMANDS } from './commands/recording-commands.ts'
import { SERVER_COMMANDS } from './commands/server-commands.ts'
import { STREAM_COMMANDS } from './commands/stream-commands.ts'
import { TASK_COMMANDS } from './commands/task-commands.ts'
import { TOKEN_COMMANDS } from './commands/token-commands.ts'
import { USER_COMMANDS } from './commands/user-commands.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...SERVER_COMMANDS,
  ...STREAM_COMMANDS,
  ...RECORDING_COMMANDS,
  ...PICTURE_COMMANDS,
  ...PLAN_COMMANDS,
  ...PROXY_COMMANDS,
  ...GB_COMMANDS,
  ...ALIAS_COMMANDS,
  ...CONFIG_COMMANDS,
  ...TASK_COMMANDS,
  ...ALARM_COMMANDS,
  ...LOGIN_COMMANDS,
  ...USER_COMMANDS,
  ...TOKEN_COMMANDS,
]
