import { readFileSync } from 'node:fs'

const SNMP = '/proc/net/snmp'

/**
 * How many datagrams the kernel has thrown away so far, of all programs, as their receivers were not given the time to take
 * them. It does not tell on other systems than Linux: 0.
 */
export function udpOverflows(): number {
  if (process.platform !== 'linux') return 0
  const lines = readFileSync(SNMP, 'utf8').split('\n')
  const [names = [], values = []] = lines.filter((line) => line.startsWith('Udp:')).map((line) => line.split(' '))
  return Number(values[names.indexOf('RcvbufErrors')])
}
