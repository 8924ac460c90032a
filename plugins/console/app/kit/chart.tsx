import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { ChartProps } from 'sluice/sdk/console'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const COLORS = {
  light: ['#087f5b', '#1864ab', '#d9480f', '#862e9c'],
  dark: ['#38d9a9', '#74c0fc', '#ffa94d', '#e599f7'],
}
const AXIS = { light: { text: '#495057', grid: '#e9ecef' }, dark: { text: '#c1c2c5', grid: '#373a40' } }

export default function Chart({ label, times, series, formatValue, height = 160 }: ChartProps) {
  const scheme = useComputedColorScheme('light')
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const write = useRef(formatValue)
  write.current = formatValue
  const data = [times, ...series.map(({ values }) => values)] as uPlot.AlignedData
  const names = series.map(({ name }) => name).join('\n')

  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const { text, grid } = AXIS[scheme]
    const axis: uPlot.Axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false } }
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      legend: { show: names.includes('\n'), live: false },
      cursor: { drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1e-9)] } },
      axes: [axis, { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => write.current(tick)) }],
      series: [
        {},
        ...names.split('\n').map((name, index) => ({ label: name, stroke: COLORS[scheme][index] ?? text, width: 1.5 })),
      ],
    }
    const made = new uPlot(options, [[]], element)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [scheme, height, names])

  useEffect(() => {
    plot.current?.setData(data)
  })

  const newest = series.map(({ name, values }) => `${name}: ${formatValue(values.at(-1) ?? 0)}`).join(', ')
  return <div ref={place} role="img" aria-label={`${label}. ${newest}`} style={{ minHeight: height, minWidth: 0 }} />
}
