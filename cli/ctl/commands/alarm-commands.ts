import { Answer } from '../answer.ts'
import type { Command, CommandContext } from '../command.ts'
import { table, type Column } from '../../terminal/table.ts'

const NEWEST_COUNT = 100

const COLUMNS: readonly Column<Answer>[] = [
  { title: 'TIME', value: (alarm) => alarm.text('createdAt') },
  { title: 'ALARM', value: (alarm) => alarm.text('alarmName') },
  { title: 'STREAM', value: (alarm) => alarm.text('streamPath') },
  { title: 'SENT', value: (alarm) => (alarm.is('isSent') ? 'yes' : 'no') },
  { title: 'ABOUT', value: (alarm) => alarm.text('alarmDesc') },
]

/** The commands for alarms and their webhooks (api.md 3.1). */
export const ALARM_COMMANDS: readonly Command[] = [
  {
    name: 'alarms',
    summary: `the newest ${NEWEST_COUNT} alarms that were stored`,
    async run({ api, output }) {
      const alarms = await api.get(`/api/alarm/list?pageNum=1&pageSize=${NEWEST_COUNT}`)
      output.show(alarms, (width) => table(COLUMNS, Answer.listOf(alarms), width))
    },
  },
  { name: 'arm', summary: 'tell webhooks what happens', run: (context) => setArmed(context, true) },
  { name: 'disarm', summary: 'tell webhooks nothing', run: (context) => setArmed(context, false) },
]

async function setArmed({ api, output }: CommandContext, armed: boolean): Promise<void> {
  await api.post('/api/arming/set', { armed })
  output.done(armed ? 'Armed' : 'Disarmed')
}
