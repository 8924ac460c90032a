import { Autocomplete } from '@mantine/core'
import type { StreamPickerProps } from 'sluice/sdk/console'
import { useCall } from './use-call.ts'

const MOST_SHOWN = 50

export function StreamPicker({ label, value, onChange, description }: StreamPickerProps) {
  const { data } = useCall('GET /api/stream/list', { query: { pageNum: 1, pageSize: 1000 } }, { refreshMs: 10_000 })
  return (
    <Autocomplete
      label={label}
      description={description}
      value={value}
      onChange={onChange}
      data={(data?.data ?? []).map(({ path }) => path)}
      limit={MOST_SHOWN}
      maxDropdownHeight={240}
    />
  )
}
