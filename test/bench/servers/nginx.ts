import { existsSync } from 'node:fs'
import { findProgram } from '../../peers/peers.ts'

/** nginx as Debian has it; undefined where it is not installed. */
export function findNginx(): string | undefined {
  const usual = '/usr/sbin/nginx'
  return findProgram('nginx') ?? (existsSync(usual) ? usual : undefined)
}
