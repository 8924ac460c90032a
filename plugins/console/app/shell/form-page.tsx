import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { PluginForm } from './plugin-pages.ts'

type Props = PageProps<Paths> & { readonly title: string; readonly form: PluginForm }
type Values = Readonly<Record<string, unknown>>

/** A page that is a form of a plugin: its values are read by one operation and written by another. */
export function FormPage({ console, title, form }: Props) {
  const { PageFrame, JsonForm, Problem } = console.components
  const { data, error, refresh } = console.useCall(form.read === undefined ? undefined : (`GET ${form.read}` as never))
  const value = form.read === undefined ? {} : (data as { data?: Values } | undefined)?.data
  return (
    <PageFrame title={title}>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {value !== undefined && (
        <JsonForm
          schema={form.schema}
          value={value}
          onSubmit={async (body) => {
            await console.api.call(`POST ${form.write}` as never, { body } as never)
            await refresh()
          }}
        />
      )}
    </PageFrame>
  )
}
