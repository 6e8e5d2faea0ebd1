import { exportSession, importSession } from 'use-todo-agent'

export async function download(sessionId: string): Promise<File> {
  const json = JSON.stringify(await exportSession(sessionId))
  return new File([json], `${sessionId}.json`, { type: 'application/json' })
}

export async function upload(file: File): Promise<string> {
  const { id, problems } = await importSession(await file.text())
  for (const { message } of problems) console.info(message)
  return id
}
