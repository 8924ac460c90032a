import type { Command } from '../command.ts'

export const CONFIG_COMMANDS: readonly Command[] = []
