import type { JsonFormProps } from 'sluice/sdk/console'

export default function JsonForm({ value }: JsonFormProps) {
  return <pre>{JSON.stringify(value, undefined, 2)}</pre>
}
