// The example of docs/ci.md with testcontainers as it is, but for docker: a container
// that is started is the server at SERVER_PORT.
import assert from 'node:assert'
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { GenericContainer } from 'testcontainers'

let stopped = false
GenericContainer.prototype.start = async function () {
    assert.equal(this.imageName.string, 'dynamo:latest')
    assert.deepEqual(this.createOpts.Cmd, ['-c', 'fsync=off'])
    assert.deepEqual(this.exposedPorts, [8000])
    assert.equal(this.waitStrategy.constructor.name, 'HttpWaitStrategy')
    return {
        getHost: () => 'localhost',
        getMappedPort: port => ({ 8000: process.env.SERVER_PORT })[port],
        stop: async () => { stopped = true },
    }
}
const { start } = await import('./example.mjs')
const { client, stop } = await start()
await client.send(new CreateTableCommand({ TableName: 'Node', BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }], AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }] }))
assert((await client.send(new ListTablesCommand({}))).TableNames.includes('Node'))
await stop()
assert(stopped)
console.log('answered')
