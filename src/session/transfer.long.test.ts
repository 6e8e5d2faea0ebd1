process.env['IMPORT_RUNS'] = '10000'
await import('./transfer.property.test.ts')
