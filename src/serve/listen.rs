//! The listening socket: connections in, answers out, until the process is told to stop.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::{Config, router};

/// Time that open requests have to end once the process was told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Time for a client to send the head of a request; also ends idle connections.
const HEAD_TIME: Duration = Duration::from_secs(15);

/// Bytes of a request's head.
const HEAD: usize = 16 << 10;

/// Opens the socket.
///
/// # Errors
/// The address is taken or not allowed.
pub fn bind(address: IpAddr, port: u16) -> io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(SocketAddr::new(address, port))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Serves on an opened socket until SIGINT or SIGTERM; open requests are answered first.
///
/// # Errors
/// The runtime or the signal handlers cannot be set up.
pub fn run(listener: std::net::TcpListener, config: Config) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Every permit of a limit may hold a thread.
        .max_blocking_threads(config.limits.probes + 2)
        .build()?;
    let result = runtime.block_on(serve(listener, config));
    // A question that is still being worked on must not hold the process.
    runtime.shutdown_background();
    result
}

async fn serve(listener: std::net::TcpListener, config: Config) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let graceful = GracefulShutdown::new();
    {
        let mut stop = std::pin::pin!(told_to_stop()?);
        let mut accepting = std::pin::pin!(accept(listener, config, &graceful));
        std::future::poll_fn(|context| match stop.as_mut().poll(context) {
            Poll::Pending => accepting.as_mut().poll(context).map(|never| match never {}),
            stopped @ Poll::Ready(()) => stopped,
        })
        .await;
    }
    // Open requests end, idle connections are closed.
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    Ok(())
}

/// Takes connections for as long as it is polled.
async fn accept(listener: TcpListener, config: Config, graceful: &GracefulShutdown) -> Infallible {
    let connections = Arc::new(Semaphore::new(config.limits.connections));
    let service = TowerToHyperService::new(router(config));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD);
    loop {
        let place = Arc::clone(&connections).acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // A client that has gone again, or no file handle left: the others go on.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // Answers are single small writes; waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service.clone()));
        tokio::spawn(async move {
            let _place = place;
            // A connection that breaks concerns its client alone.
            let _ = connection.await;
        });
    }
}

/// Waits for SIGINT or SIGTERM, or for Ctrl-C where there are no signals.
fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        Ok(std::future::poll_fn(move |context| match (interrupt.poll_recv(context), terminate.poll_recv(context)) {
            (Poll::Pending, Poll::Pending) => Poll::Pending,
            _ => Poll::Ready(()),
        }))
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
