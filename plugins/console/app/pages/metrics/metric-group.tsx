import { Card, Checkbox, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Format } from 'sluice/sdk/console'
import type { MetricGroup as Group } from './metric-groups.ts'
import { totalText, valueText } from './metric-values.ts'
import type { MetricFamily } from './metrics-text.ts'
import type { WORDS } from './metrics-words.ts'
import styles from './metrics.module.css'

type Words = (typeof WORDS)['en']
type Props = {
  readonly group: Group
  readonly words: Words
  readonly format: Format
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (name: string) => void
}

/** The most series of a metric that are shown. */
const MAX_SHOWN = 50

/** The metrics whose names begin alike. */
export function MetricGroup({ group, words, format, chosen, onChoose }: Props) {
  return (
    <Card withBorder padding="md">
      <Title order={2} size="h5" mb="xs" ff="monospace">
        {group.name}
      </Title>
      <Table verticalSpacing={6} aria-label={group.name} className={styles.table ?? ''}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{words.name}</Table.Th>
            <Table.Th scope="col" className={styles.end}>
              {words.value}
            </Table.Th>
            <Table.Th scope="col" className={styles.end}>
              {words.graph}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {group.families.map((family) => (
            <Table.Tr key={family.name}>
              <Table.Td>
                <FamilyName family={family} words={words} format={format} />
              </Table.Td>
              <Table.Td className={styles.end}>{totalText(family, format)}</Table.Td>
              <Table.Td className={styles.end}>
                <Checkbox
                  checked={chosen.has(family.name)}
                  onChange={() => onChoose(family.name)}
                  aria-label={words.graphOf(family.name)}
                  className={styles.choice ?? ''}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  )
}

/** The name and the help of a metric; its series open below. */
function FamilyName({ family, words, format }: { readonly family: MetricFamily; words: Words; format: Format }) {
  const { name, help, type, series } = family
  const [isOpen, setOpen] = useState(false)
  const hasLabels = series.some(({ labels }) => labels !== '')
  return (
    <>
      <Text size="sm" ff="monospace">
        {name}
      </Text>
      <Text size="sm" c="dimmed">
        {help} ({type})
      </Text>
      {hasLabels && (
        <button type="button" className={styles.open} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.series}: {format.number(series.length)}
        </button>
      )}
      {isOpen && (
        <ul className={styles.series}>
          {series.slice(0, MAX_SHOWN).map((one) => (
            <li key={one.labels}>
              <span>{one.labels}</span> <b>{totalText({ ...family, series: [one] }, format)}</b>
              {one.sum !== undefined && ` (${valueText('', one.value, format)})`}
            </li>
          ))}
          {series.length > MAX_SHOWN && <li>{words.more(series.length - MAX_SHOWN)}</li>}
        </ul>
      )}
    </>
  )
}
