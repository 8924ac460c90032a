import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { StreamPickerProps } from 'sluice/sdk/console'
import { useCall } from './use-call.ts'

const MOST_SHOWN = 50
const REFRESH_MS = 10_000
const TYPING_PAUSE_MS = 200

export function StreamPicker({ label, value, onChange, description, error }: StreamPickerProps) {
  const [search] = useDebouncedValue(value.trim(), TYPING_PAUSE_MS)
  const query = { pageNum: 1, pageSize: MOST_SHOWN, ...(search !== '' && { search }) }
  const { data } = useCall('GET /api/stream/list', { query }, { refreshMs: REFRESH_MS })
  return (
    <Autocomplete
      label={label}
      description={description}
      error={error}
      value={value}
      onChange={onChange}
      data={(data?.data ?? []).map(({ path }) => path)}
      limit={MOST_SHOWN}
      maxDropdownHeight={240}
    />
  )
}
